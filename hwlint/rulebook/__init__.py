"""Load what is data: the rules and the origins."""
