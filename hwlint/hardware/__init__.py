"""Know the GPU architectures: what each answers, has and lacks, with a source for every fact."""
