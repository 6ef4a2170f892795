"""Hold templates of what programs do more rarely; `shapes.py` fills them in as it does those of `templates.py`."""

RARER = """\
def $f1(x, y=$L):
    a = x + $H
    t = {9: 1, 10: a, $H: 2}
    class $c1:
        p = a $[+ ~ * ~ -]$ $L
        q = t.get($H, 0)
        $[b = p + a ~ a = p ~ t = t ~ pass]$
        def m(self, k):
            $[t[k] = a ~ pass ~ nonlocal a; a += 1 ~ self.r = a ~ t.update({k: 5})]$
            return t.get(k, a) + self.p
        @classmethod
        def n(cls):
            return cls.p + y
    class $c2($c1):
        $[p = 3 ~ q = y ~ pass ~ q = $c1.q + a]$
        def m(self, k):
            return super().m(k) + a
    $[a = 5 ~ pass ~ t[12] = y ~ t = {} ~ $c1.p = a ~ a += $c1().m(8)]$
    if x $[> ~ < ~ ==]$ $H:
        return $c1
    return $c2
$o1 = $f1($H)
$o2 = $f1($L, $E)
$v1 = $o1().m($H)
$v2 = $o2().m(12) + $o1.p
$v3 = $o1.q + $o2.q
$v4 = $o2.n()
$v5 = $o1().m(9) + $o1().m(10)
-->
int $v1
int $v2
int $v3
int $v4
int $v5
----
class $c1:
    def __init__(self, x):
        self.a = x
        setattr(self, 'b', $[x ~ $H]$)
        setattr(self, $['c' ~ 'a' ~ f'd']$, $L)
    @property
    def p(self):
        if self.a $[> ~ < ~ ==]$ $H:
            raise AttributeError('p')
        return self.a
$o1 = $c1($E)
setattr($o1, $['a' ~ 'e' ~ 'ab'[0]]$, $E)
$v1 = getattr($o1, 'e', $L) + getattr($o1, 'b')
$v2 = getattr($o1, 'p', -1)
$v3 = hasattr($o1, 'p')
$v4 = hasattr($o1, 'e') and hasattr($o1, 'c')
$[delattr($o1, 'b') ~ del $o1.b ~ pass]$
$v5 = hasattr($o1, 'b')
$v6 = getattr($c1, 'a', 5)
-->
int $v1
int $v2
bool $v3
bool $v4
bool $v5
int $v6
----
$v1 = bin($H) + oct($H) + hex($E)
$v2 = chr(65 + $H) + ascii($S) + repr($H)
$v3 = f'sm_{$H}'.$[islower() ~ isupper() ~ isalpha() ~ isnumeric() ~ isdecimal() ~ isidentifier()]$
$v4 = f' sm_{$H} '.$[lstrip() ~ strip(' s') ~ casefold() ~ expandtabs() ~ swapcase()]$
$v5 = f'a{$H}b'.$[splitlines() ~ split('a', 1) ~ rsplit('b', 1) ~ split(None) ~ split('1')]$
$v6 = ($H).bit_length() + int($[True ~ '0x1f', 16 ~ '12', base=8 ~ 9.7 ~ ' 12 ']$)
$v7 = bytes([$H % 7, 1])[0] + len(bytes(3)) + b'sm_9'[$[0 ~ -1]$]
$v8 = f'sm_{$H}'.encode().decode() + str(b'a')
$v9 = $v5[0] if $v5 else ''
-->
str $v1
str $v2
bool $v3
str $v4
strs $v5
int $v6
int $v7
str $v8
str $v9
----
async def $f1(x):
    return x + $H
async def $f2(x):
    k = await $f1(x)
    if k > $H:
        return {9: 1, 10: 2}.get(k, $L)
    async with $c1() as n:
        k += n
    return k
class $c1:
    async def __aenter__(self):
        return $H
    async def __aexit__(self, *given):
        return False
def $f3(made):
    try:
        made.send(None)
    except StopIteration as end:
        return end.value
$v1 = $f3($f2($E))
$v2 = $f3($f1($L))
$o1 = $f1(0)
$v3 = bool($o1)
$o1.close()
-->
int $v1
int $v2
----
class $c1(dict):
    def __missing__(self, key):
        return $[key + 1 ~ $H ~ -1]$
$d1 = $c1({9: 1, 10: $E})
$d1[$L] = 5
$v1 = $d1[$H]
$v2 = $d1.get($H, 7)
$v3 = $H in $d1
class $c2(list):
    def top(self):
        return self[-1] if self else 0
$d2 = $c2([$H, $L])
$d2.append($E)
$v4 = $d2.top() + len($d2)
class $c3($[int ~ str]$):
    def twice(self):
        return int(self) * 2
$v5 = $c3($H).twice()
-->
int $v1
int $v2
bool $v3
int $v4
int $v5
----
from abc import ABC, abstractmethod
class $c1(ABC):
    kind = 'base'
    registry = {}
    def __init_subclass__(cls, key=0, **more):
        super().__init_subclass__(**more)
        cls.key = key
        $c1.registry[key] = cls
    @abstractmethod
    def run(self, x):
        ...
    def twice(self, x):
        return self.run(x) * 2 + self.key
class $c2($c1, key=$[9 ~ $L]$):
    def run(self, x):
        return x + $H
class $c3($c1, key=12):
    kind = 'new'
    def run(self, x):
        return x - $H
$v1 = $c1.registry.get($H, $c2)().twice($E)
$v2 = $c2().key + $c3.key
$v3 = [c.kind for c in $c1.registry.values()]
$v4 = issubclass($c2, $c1) and not issubclass($c1, $c3)
$v5 = $[type($c2()) is $c2 ~ $c2.__name__ == '$c2' ~ type($c3()).__name__ == 'x']$
-->
int $v1
int $v2
strs $v3
bool $v4
bool $v5
----
class $c1:
    __slots__ = ('a', 'b')
    made = []
    def __new__(cls, *args):
        one = super().__new__(cls)
        one.b = $L
        cls.made.append(1)
        return one
    def __init__(self, x):
        self.a = x + $H
    def __repr__(self):
        return f'c({self.a})'
    def __format__(self, how):
        return f'{self.a}:{how}'
    def __setitem__(self, k, x):
        self.a = k * 100 + x
    def __delitem__(self, k):
        self.b = k
    def __neg__(self):
        return -self.a
    def __iadd__(self, x):
        self.a += x
        return self
    def __radd__(self, x):
        return x + self.a * 3
    def __mul__(self, x):
        return self.a * x
$o1 = $c1($E)
$o1[$H] = $L
del $o1[$[3 ~ $H]$]
$o1 += $[2 ~ $H]$
$v1 = $o1.a + $o1.b
$v2 = repr($o1) + f'{$o1:x}' + f'{$o1!r}'
$v3 = -$o1 + (5 + $o1) + $o1 * 2
$v4 = sum([$o1, $o1], 1)
$v5 = len($c1.made)
-->
int $v1
str $v2
int $v3
int $v4
int $v5
----
class $c1:
    K = $L
    class $c2:
        T = {9: $H, 10: 2}
        def look(self, x):
            return self.T.get(x, $c1.K)
    names = [n for n in ('a', 'b')]
    size = len(names) + K
    alias = K
    def __init__(self, x=None):
        self.inner = self.$c2()
        self.f = lambda q: q + $H
        self.g = self.look
        self.x = x if x is not None else $[$H ~ type(self).K ~ self.size]$
    def look(self, x):
        return self.inner.look(x) + self.f(1)
    other = look
    plus = staticmethod(lambda x: x + 1)
    wide = property(lambda self: self.x * 2)
$o1 = $c1($[ ~ $E ~ 0 ~ x=$H]$)
$v1 = $o1.g($H) + $o1.other($L)
$v2 = $o1.size + $o1.plus(3) + $o1.wide
$v3 = $c1.$c2().look($E)
$o1.f = lambda q: q * 2
$v4 = $o1.look(9)
$f1 = $o1.look
$o1.inner.T = {9: 77}
$v5 = $f1(9)
-->
int $v1
int $v2
int $v3
int $v4
int $v5
int $o1.x
def-int $f1
----
class $c1:
    def __init__(self):
        self.log = ['c1']
        super().__init__()
    def size(self, x):
        return x + 1
class $c2:
    def __init__(self):
        self.n = $H
        super().__init__()
    def size(self, x):
        return x * 2
    @property
    def wide(self):
        return self.n > $[9 ~ $L]$
class $c3($[$c1, $c2 ~ $c2, $c1]$):
    def __init__(self, *args, **named):
        super().__init__()
        self.log.append('c3')
        self.args = args
        self.named = named
    @property
    def wide(self):
        return $[super().wide ~ not super().wide ~ self.n == 9]$
    def size(self, x):
        return super().size(x) + $c2.size(self, x)
$o1 = $c3($H, k=$E)
$v1 = $o1.size($E) + $o1.n + $o1.args[0]
$v2 = '-'.join($o1.log)
$v3 = $o1.wide
$v4 = $o1.named.get('k', 3) + len($o1.named)
$v5 = [c.__name__ for c in $c3.__mro__][:2]
-->
int $v1
str $v2
bool $v3
int $v4
----
from functools import reduce
from operator import itemgetter, attrgetter
from itertools import chain, product
$v1 = reduce(lambda a, b: a * 2 + b, $I, $H)
$d1 = {9: 3, $H: $E, 12: 1}
$v2 = min($d1, key=$d1.get)
$v3 = max($d1.items(), key=$[itemgetter(1) ~ lambda kv: kv[1] ~ lambda kv: (kv[1], -kv[0])]$)[0]
$v4 = sorted($d1, key=lambda k: (-$d1[k], k))
$v5 = sorted($d1.items(), key=lambda kv: kv[1], reverse=$[True ~ bool($B)]$)[0][0]
$v6 = list(chain([1], $P, [$H]))
$v7 = [a + b for a, b in product($P, (1, 2))]
$v8 = sum($d1.values(), $L) + sum((k for k in $d1 if k > $H), start=$[1 ~ $H]$)
$v9 = max((v for v in $d1.values() if v > $H), default=None)
-->
int $v1
int $v2
int $v3
ints $v4
int $v5
ints $v6
ints $v7
int $v8
opt $v9
----
from contextlib import contextmanager, nullcontext, ExitStack
@contextmanager
def $f1(x):
    $v9.append(x)
    try:
        yield x + $H
    finally:
        $v9.append(-x)
$v9 = []
with $f1($E) as $v1, nullcontext($L) as $v2:
    $v1 += $v2
with nullcontext():
    $v3 = $H
try:
    with suppress(KeyError):
        $v3 = {9: 1}[$H]
    with suppress($[ValueError ~ LookupError ~ ZeroDivisionError]$, KeyError):
        $v3 += 10 // ($H - $[9 ~ 10]$)
except (ZeroDivisionError, KeyError):
    $v3 = -1
$v4 = len($v9)
-->
int $v1
int $v3
int $v4
----
from dataclasses import field
@dataclass
class $c1:
    major: int
    minor: int = 0
    tags: list = field(default_factory=list)
class $c2:
    __match_args__ = ('a', 'b')
    def __init__(self, a, b):
        self.a, self.b = a, b
match $[$c1($H, $L) ~ $c2($H, 3) ~ $P ~ {'major': $H, 'x': 1} ~ [$H, $L, 3] ~ ('sm', $H)]$:
    case $[$c1(9) ~ $c1(major=10 | 12, minor=m) ~ $c2(9, b) ~ $c2(a=a) if a > 9]$:
        $v1 = 1
    case $[{'major': 9, **rest} ~ {'major': int() as got} ~ {}]$:
        $v1 = 2
    case $[[first, *rest] if first > 9 ~ [9, *_] ~ (a, b, *_) ~ [_, _]]$:
        $v1 = 3
    case $[('sm', 9 | 10 as n) ~ ('sm', n) if (k := n + 1) > $H ~ (str(), int())]$:
        $v1 = 4
    case $[$c1() | $c2() ~ object(major=9) ~ 7]$:
        $v1 = 5
    case other:
        $v1 = 6
class $c3:
    HOPPER = 9
    OTHER = $L
match $H:
    case $c3.HOPPER:
        $v2 = 'h'
    case $c3.OTHER | 12:
        $v2 = 'o'
    case int(n) | str(n) if n > 9:
        $v2 = 'n'
    case _:
        $v2 = '_'
-->
int $v1
str $v2
----
def $f1(x):
    for k in (1, 2, 3):
        try:
            if k == $[1 ~ 2 ~ $H % 4]$:
                $[return k ~ break ~ continue ~ raise ValueError(k) ~ {}[k]]$
            x += k
        except ValueError as error:
            x += error.args[0] * 10
            $[continue ~ break ~ return x ~ raise RuntimeError('no') from error ~ pass]$
        finally:
            $[x += 100 ~ if k == 3: return -1 ~ break ~ continue ~ pass]$
        x += 1000
    else:
        x = -x
    return x
try:
    $v1 = $f1($E)
except $[RuntimeError ~ Exception ~ (KeyError, RuntimeError)]$ as error:
    $v1 = $[-7 ~ len(str(error)) ~ len(error.args) ~ isinstance(error, KeyError) + 5]$
except LookupError:
    $v1 = -8
-->
int $v1
risky-int $f1
----
class $c1(Exception):
    def __init__(self, code, text='x'):
        super().__init__(text)
        self.code = code
class $c2($c1, $[KeyError ~ ValueError ~ LookupError]$):
    pass
def $f1(x):
    if x == $H:
        raise $c1(x)
    if x > $H:
        raise $[$c2(x, 'y') ~ $c2(x) ~ ValueError ~ TypeError('t')]$
    return x
def $f2(x):
    try:
        return $f1(x)
    except $[$c2 ~ KeyError ~ ValueError ~ ($c2, TypeError)]$ as error:
        return $[1 ~ getattr(error, 'code', 2) ~ 3]$
    except $c1 as error:
        return error.code + 100
    else:
        return 7
    finally:
        x = 0
try:
    $v1 = $f2($[$H ~ $E ~ 5 ~ 100]$)
except Exception as error:
    $v1 = -3
try:
    assert $H > 9, f'no {$H}'
    $v2 = 1 // ($H - 9)
    $v2 = int($['9' ~ '9a' ~ 'x']$) + [1, 2][$H % 3]
except (AssertionError, ZeroDivisionError) as error:
    $v2 = $['a' ~ str(error)]$
except (ValueError, IndexError):
    $v2 = 'v'
-->
int $v1
risky-int $f2
----
def $f1():
    n = $H
    seen = []
    def step(k=1):
        nonlocal n
        n += k
        seen.append(n)
        return n
    def total():
        return sum(seen) + n
    return step, total
$f2, $f3 = $f1()
$f2()
$f2($E)
$v1 = $f3()
def $f4(x):
    y = x
    def a():
        def b():
            return y + x + $H
        return b() * 2
    y += 1
    return a()
$v2 = $f4($E)
def $f5(*, a=1, **rest):
    a, rest['z'] = a + 1, a
    return a + sum(rest.values())
$v3 = $f5(**{'a': $H, 'b': 2}) + $f5(c=$L)
def $f6(a, /, b, *c, d=4, e):
    return a + b * 2 + sum(c) * 3 + d + e
$v4 = $f6(1, $H, *$P, e=$L) + $f6(*[1, 2], **{'e': $H, 'd': 1}) + $f6(1, b=2, e=$E)
-->
int $v1
int $v2
int $v3
int $v4
def-int $f4
----
def $f1(x):
    got = 0
    while got < $[3 ~ x % 5]$:
        got += 1
        k = yield got * $H
        if k:
            return
    return 5
def $f2(x):
    end = yield from $f1(x)
    yield end
def $f3(x):
    return (k + $H for k in range(x % 4) if k != $[1 ~ $H % 3]$)
$v1 = list($f1($E))
$v2 = list($f2(3))
$v3 = sum($f3(7)) + len([*$f3($E)])
$v4 = next($f3($E), -1)
$o1 = iter([1, $H, 3])
$v5 = next($o1) + next($o1)
$v6 = list($o1)
$o2 = iter($P)
$v7 = dict(zip($o2, $o2))
$v8 = [a + b for a, b in zip(*[iter(range(4))] * 2)]
$v9 = any(k > $H for k in $o2) or all(k for k in $f3(3))
-->
ints $v1
int $v3
int $v4
int $v5
ints $v6
table $v7
ints $v8
bool $v9
----
$v1 = [1, 2, $H, 4, 5]
$v1[0], $v1[1] = $v1[1], $v1[0]
$k1 = 1
$k1 = $v1[$k1] = 3
$d1 = {}
$d1['a'] = $d1['b'] = [$L]
$d1['a'] += [$H]
for $d1['k'] in $P:
    pass
for $v1[2] in (7, $H):
    $v1[0] += $v1[2]
$[del $v1[::2] ~ $v1[::2] = [0, 0, 0] ~ $v1[1:1] = (8, 9) ~ del $v1[-2:], $v1[0] ~ $v1[3:1] = [$H] ~ $v1[:] = $P ~ $v1[::-1] = [1, 2, 3, 4, 5]]$
$v2, ($v3, *$v4), *$v5 = 1, (2, $H, 4), $E, $L
(*$v6, $v7), $v8 = $P, 5
[$v9, _] = f'{$H % 10}x'
with suppress(KeyError) as $d1['n']:
    pass
-->
ints $v1
int $k1
ints $d1['a'].copy()
int $d1['k']
int $v3
ints $v4
ints $v5
ints $v6
int $v7
str $v9
----
class $c1:
    n = 0
    t = {9: 1}
    s = {9}
$o1 = $c1()
$o1.n $[+= ~ -= ~ *= ~ //= ~ %= ~ |= ~ &= ~ ^= ~ <<= ~ >>=]$ $[3 ~ $H % 5 + 1]$
$o1.t = dict($o1.t)
$o1.t |= {$H: 2}
$o1.t[9] $[+= ~ -= ~ *= ~ **= ~ |=]$ 2
$o1.s = $o1.s | {$H}
$o1.s $[-= {9} ~ &= {9, 10} ~ |= {$L} ~ ^= {$H, 1}]$
$v1 = [3, $H]
$v1 *= $[2 ~ $H % 3]$
$v1[-1:] += [1] if False else (2,)
$v2 = (1,)
$v2 += $P
$v3 = f'{$H}'
$v3 += 'a'
$v3 *= 2
$v4 = $[7 ~ $H]$
$v4 $[**= ~ <<= ~ %= ~ //=]$ $[2 ~ 3]$
$v5 = $v4 $[** ~ << ~ >> ~ ^ ~ %]$ 2 + ~$H + +$L + pow($H, 2, 7)
$v6 = divmod(-$H, 4)[1] + (-$H // 3) + round($H / 8) + int(-2.5) + int($H / 4 * 10 % 7)
$v7 = $H / 2 > 4.5 or float($H).is_integer() or 9.0 == $H
-->
int $o1.n
table dict($o1.t)
set set($o1.s)
ints $v1
int $v2[-1]
str $v3
int $v4
int $v5
int $v6
bool $v7
----
$d1 = {9: 'a', 10: 'b', $H: 'c'}
$d2 = dict(a=1, b=$H)
$v1 = sorted($d1.keys() & {9, $H, 11}) + sorted($d1.keys() - {9}) + sorted({9, 8} | $d1.keys())
$v2 = $d1.keys() $[== ~ >= ~ <= ~ >]$ {9, 10}
$v3 = (9, 'a') in $d1.items() and 'c' in $d1.values()
$v4 = {**$d2, 'c': $L} == $d2 | {'c': $L}
$v5 = $d2.popitem()[1]
$v6 = {k: v for k, v in $d1.items() if k not in (9, $H)}
$v7 = {v: k for k, v in $d1.items()}.get('$[a ~ c]$', -1)
$v8 = list(map(str.upper, $d1.values())) + [*$d1.values()]
$d3 = dict.fromkeys(['x', 'y'], $L)
$d3['x'] = $H
$d1.update([(1, 'z')], **{}) if False else $d3.update(y=$E)
$v9 = sum($d3.values()) + len($d1) + (max(list($d1)[-2:]))
-->
ints $v1
bool $v2
bool $v3
bool $v4
int $v5
int $v7
strs $v8
int $v9
----
$v1 = frozenset({9, $H})
$v2 = isinstance($v1, $[set ~ frozenset ~ (set, frozenset)]$) or isinstance({1}, frozenset)
$v3 = {$v1: 1, frozenset(): 2}.get(frozenset([$H, 9]), 3)
$v4 = {1, 2, $H}
$v4 -= {1}
$v4.update([3], $P)
$[$v4.discard($L) ~ $v4.difference_update({2}, [3]) ~ $v4.symmetric_difference_update({2}) ~ $v4.intersection_update($P) ~ $v4.remove(2)]$
$v5 = sorted($v4.union([1], $P)) + sorted($v4.intersection({9, 10, $H}))
$v6 = $v4.issuperset({$H}) or $v4 > {2} or {2} <= $v4
$v7 = $v4 == {k for k in $v4} and len({*$v4, 100})
$v8 = {9: 1}.keys() | {10} == {9, 10}
$v9 = $v4.copy()
$v9.add(77)
try:
    $v4.remove($L)
    $[hash({}) ~ {[]: 1} ~ $v1.add(2) ~ {[1]}]$
except KeyError:
    $v4.add(-1)
except (TypeError, AttributeError):
    $v4.clear()
-->
bool $v2
int $v3
set $v4
ints $v5
bool $v6
bool $v8
set $v9
----
from enum import auto, unique, Flag, IntFlag
@unique
class $c1(Enum):
    A = (8, 'a')
    B = (9, 'b')
    C = ($L + 1000, 'c')
    def __init__(self, major, letter):
        self.major = major
        self.letter = letter
    @classmethod
    def _missing_(cls, value):
        return cls.A
class $c2(str, Enum):
    X = 'sm_90'
    Y = 'sm_100'
class $c3(IntFlag):
    R = 1
    W = 2
    RW = R | W
$v1 = next((m for m in $c1 if m.major == $H), $c1.A)
$v2 = $v1.letter + $v1.name
$v3 = $c2(f'sm_{$[90 ~ $H * 10]$}') is $c2.X if $H in (9, 10) else $c2.X == 'sm_90'
$v4 = $c1(77).major + len($c1.__members__)
$v5 = bool($c3.RW & $c3.R) and ($c3.R | $c3.W) == $c3.RW
$v6 = $c2.X.startswith('sm_') and $c2['Y'].value[3:] == f'{$H}0'
$v7 = {m.name: m.major for m in $c1}[$v1.name]
$v8 = [m.value for m in $c2] + list($c1.__members__)
$v9 = $c1.B != $v1 and $v1 in {$c1.A, $c1.B}
-->
str $v2
bool $v3
int $v4
bool $v5
bool $v6
int $v7
strs $v8
bool $v9
----
from functools import singledispatch, cached_property, partialmethod
class $c1:
    def __init__(self):
        self.n = 0
    @cached_property
    def cap(self):
        self.n += 1
        return $P
    def at_least(self, x, strict=False):
        return self.cap[0] > x if strict else self.cap[0] >= x
    above = partialmethod(at_least, strict=True)
    @property
    def k(self):
        return self._k
    @k.setter
    def k(self, x):
        self._k = x * 2
    @k.deleter
    def k(self):
        self._k = -1
    @staticmethod
    @lru_cache(maxsize=None)
    def cached(x):
        return x + $H
    @classmethod
    @property
    def odd(cls):
        return 3
$o1 = $c1()
$v1 = $o1.cap[0] + $o1.cap[1] + $o1.n
$v2 = $o1.at_least($L) or $o1.above(9)
$o1.k = $E
$o1.k += 1
$v3 = $o1.k
$[del $o1.k ~ pass]$
$v4 = $o1.k + $o1.cached($H) + $c1.cached($L)
$f1 = $c1.at_least
$v5 = $f1($o1, $[9 ~ $H]$)
$p1 = partial($o1.at_least, strict=$B)
$v6 = $p1(9) and partial($p1, 8, strict=False)()
-->
int $v1
bool $v2
int $v3
int $v4
bool $v5
bool $v6
----
$v1 = 'x' if $H > 9 else None
$v2 = $v1 and $v1.upper() or 'none'
$v3 = ($v1 is None) == ($H <= 9) != False
try:
    $v4 = $v1 + 'y'
except TypeError:
    $v4 = 'bad'
try:
    $v5 = $v1.upper()
    $v5 = $v1[0]
except AttributeError:
    $v5 = 'attr'
try:
    $v6 = None < $H if $B else $[None ~ 'a' ~ (1,)]$ < $H
except TypeError:
    $v6 = 7
try:
    $v7 = $H[0] if $B else len($H)
except TypeError:
    $v7 = -1
try:
    $k1, $k2 = $[$P ~ (1, 2, 3) ~ [$H] ~ 'ab' ~ $H]$
    $v8 = $k2
except (ValueError, TypeError):
    $v8 = 0
try:
    $v9 = next(iter($[() ~ [$H] ~ {}]$))
except StopIteration:
    $v9 = -2
-->
str $v2
bool $v3
str $v4
str $v5
int $v9
----
if __name__ == $['__main__' ~ 'main' ~ 'lib']$:
    $v1 = $E
else:
    $v1 = $L
from typing import TYPE_CHECKING, Final, Optional, Literal, cast, TypedDict, Protocol, Any
if TYPE_CHECKING:
    import nothing
    $v2 = 1
else:
    $v2 = $H
$v3: Final[int] = cast(int, $E)
$v4: 'dict[int, int]' = {9: $v3}
class $c1(TypedDict, total=False):
    a: int
class $c2(Protocol):
    x: int
    y: int = $L
$d1: $c1 = {'a': $H}
$d2 = $c1(a=$L)
$v5 = $d1.get('a', 0) + $d2['a'] + $c2.y
$v6 = hasattr($c2, 'x') or '$v3' in globals()
$v7: int
try:
    $v7
    $v8 = 1
except NameError:
    $v8 = 2
$v9 = ... is None or NotImplemented is not None
-->
int $v1
int $v2
int $v3
table $v4
int $v5
int $v8
bool $v9
----
import re
$v1 = f'sm_{$H}$[a ~ ]$'
$o1 = re.$[match ~ search ~ fullmatch]$(r'sm_(\\d+)([a-z]?)', $v1)
$v2 = int($o1.group(1)) if $o1 else -1
$v3 = $o1 is not None and $o1[2] == 'a'
$v4 = re.sub(r'\\d+', lambda m: str(int(m.group()) + 1), $v1)
$v5 = re.split('_', $v1)[-1]
$v6 = [int(k) for k in re.findall(r'\\d', $v1)]
if (m := re.match(r'(\\d+)\\.(\\d+)', f'{$H}.{$L}')):
    $v7 = int(m.group(1)) * 10 + int(m.groups()[1])
else:
    $v7 = 0
$v8 = re.compile(r'^sm_9').match($v1) is None
$v9 = '%-5s|%5.2f|%x|%03d|%%' % ($v1, $H / 3, $H, $L) + '{:,}|{:.1f}|{!r:>5}'.format($H * 1000, 2.55, 'a')
-->
str $v1
int $v2
bool $v3
str $v4
str $v5
ints $v6
int $v7
bool $v8
str $v9
----
def $f1(x, seen={}, made=[]):
    if x in seen:
        return seen[x]
    made.append(x)
    seen[x] = $[$H ~ len(made) ~ x + len(seen)]$
    return seen[x]
$v1 = $f1($H) * 100 + $f1($H) * 10 + $f1($L)
$v2 = [f(1) for f in [lambda x, k=k: x * k for k in $P]]
$v3 = [f() for f in [(lambda: k) for k in (1, $H)]]
$v4 = (lambda f: f(lambda n: n * 2, $[3 ~ $H % 4]$))(lambda f, n: 1 if n < 1 else n * f(n - 1))
$d1 = {'+': lambda a, b: a + b, '-': lambda a, b: a - b}
$v5 = $d1['+' if $H > 9 else '-']($E, $L)
$f2 = $[abs ~ int ~ (lambda x: x + 1) ~ str]$
$v6 = int($f2(-$H))
$f3 = [len, sum, max][$H % 3]
$v7 = $f3([1, $H])
$v8 = (lambda x, *a, k=$L, **m: x + len(a) + k + len(m))($H, 1, 2, z=3)
def $f4(x):
    return $f4.table.get(x, $f4.default)
$f4.table, $f4.default = {9: 1, 10: 2}, $L
$v9 = $f4($H)
-->
int $v1
ints $v2
ints $v3
int $v4
int $v5
int $v6
int $v7
int $v8
int $v9
----
import copy
$d1 = {'a': [$H], 'b': {9: 1}}
$d2 = copy.$[copy ~ deepcopy]$($d1)
$d2['c'] = 1
$d2['a'].append($E)
$v1 = len($d1) * 100 + len($d1['a']) * 10 + len($d2['a'])
$d3 = $[dict ~ list ~ set]$($d1)
$v2 = $[isinstance($d3, dict) ~ len($d3) == len($d1) ~ 'a' in $d3]$
from collections import defaultdict, Counter, OrderedDict, deque, ChainMap
$d4 = defaultdict(lambda: $L, {9: 1})
$d4[$H] += 1
$v3 = isinstance($d4, dict) and $d4[$H] > 1
$d5 = Counter(['a', 'b', 'a'])
$v4 = $d5['a'] + $d5['z']
$d6 = OrderedDict(a=1)
$d6['z'] = $H
$v5 = list($d6)[-1] + str(isinstance($d6, dict))
$o1 = deque([1, 2], maxlen=2)
$o1.append($H)
$v6 = $o1[0] + $o1[-1]
$v7 = ChainMap({9: 1}, {10: 2, $H: 3}).get($H, 0)
$v8 = $d1 == $d2 or $d1 is $d2
$v9 = $d4.get($H) if $d4.get(77) is None else 0
-->
int $v1
bool $v2
bool $v3
int $v4
str $v5
int $v6
int $v7
bool $v8
int $v9
"""

PACKAGES = """\
import other
$v1 = $[$H ~ {9: 1, $H: 2}]$
def $f1(x):
    return other.$f2(x) + $H
class $c1:
    K = $L
==== other.py
import beside
def $f2(x):
    return x + beside.$c1.K
def $f3(x):
    from beside import $f1, $v1
    return $f1(x) if $v1 else 0
$[$v2 = hasattr(beside, '$c1') ~ $v2 = getattr(beside, 'nothing', 3)]$
====
import beside, other
from other import $f3 as $f4
$v3 = beside.$f1($E)
$v4 = $f4($L) + other.$f2(1)
$v5 = beside.$c1.K == other.beside.$c1.K
-->
int $v3
int $v4
bool $v5
def-int $f4
----
import pkg.deep.low
==== pkg/__init__.py
from .tables import *
from . import tables as t
from .deep import low
$v1 = low.$f1($H)
__all__ = $[['$d1', '$v1'] ~ ['$v1']]$ + t.__all__
==== pkg/tables.py
__all__ = ['$d1', '$f2']
$d1 = {9: 1, 10: $L, $H: 5}
_hidden = 3
def $f2(x):
    return $d1.get(x, _hidden)
==== pkg/deep/__init__.py
from ..tables import $f2
$v2 = $f2($H)
==== pkg/deep/low.py
from .. import tables
from ..tables import $d1 as held
from . import $v2
def $f1(x):
    return held.get(x, 0) + $v2 + tables._hidden
====
from pkg import *
import pkg
from pkg.deep import low as $c1, $v2 as $v3
import pkg.deep.low as $c2
$v4 = $f2($E) + $v1 + $v3
$v5 = $c1.$f1($H) + pkg.deep.low.$f1($L)
$v6 = $c1 is $c2 and 'held' in dir($c1)
try:
    $v7 = $d1[$H]
except KeyError:
    $v7 = -1
try:
    $v8 = _hidden
except NameError:
    $v8 = -2
-->
int $v4
int $v5
int $v7
int $v8
----
_cache = {}
$v1 = None
flag = False
def $f1(x):
    global $v1, flag
    if x not in _cache:
        _cache[x] = $H + x
        flag = True
    $v1 = x
    return _cache[x]
def $f2():
    return $v1, flag
class $c1:
    current = None
    def __init__(self, x):
        self.x = x
        $c1.current = self
    @classmethod
    def get(cls):
        if cls.current is None:
            cls($L)
        return cls.current
====
import beside
from beside import $f1 as $f3, $f2, $c1
$v2 = $f3($E) + $f3($L)
$v3, $v4 = $f2()
$v5 = beside.$v1 == $v3 and beside.flag
$v6 = len(beside._cache)
$v7 = $c1.get().x
$o1 = $c1($H)
$v8 = $c1.get().x + $c1.current.x
-->
int $v2
bool $v5
int $v6
int $v7
int $v8
----
from functools import wraps
def $f1(majors):
    def deco(function):
        @wraps(function)
        def inner(*args, **named):
            if $H not in majors:
                return $[None ~ -1 ~ function(*args)]$
            return function(*args, **named)
        inner.majors = majors
        return inner
    return deco
def $f2(function):
    function.tag = $L
    return function
registry = {}
def $f3(name):
    def deco(klass):
        registry[name] = klass
        return klass
    return deco
class $c1:
    def __getattr__(self, name):
        if name.startswith('sm'):
            return int(name[2:]) == $H
        raise AttributeError(name)
====
from beside import $f1, $f2, $f3, registry, $c1
@$f1([9, $L])
def $f4(x):
    return x + 1
@$f2
def $f5(x):
    return x * 2
@$f3('a')
class $c2:
    x = $H
@$f3('b')
class $c3($c2):
    x = $L
$v1 = $f4($E)
$v2 = $f5($E) + $f5.tag
$v3 = $H in $f4.majors
$v4 = registry['a' if $H > 9 else 'b']().x
$v5 = sorted(registry)
$o1 = $c1()
$v6 = $o1.sm9 or $o1.sm12
$v7 = getattr($o1, 'other', 7)
$v8 = hasattr($o1, 'sm1') and not hasattr($o1, 'x')
-->
opt $v1
int $v2
bool $v3
int $v4
strs $v5
bool $v6
int $v7
bool $v8
----
from enum import Enum
class $c1(Enum):
    A = 9
    B = 10
    @property
    def table(self):
        return $d1[self]
$d1 = {$c1.A: {1: $L}, $c1.B: {2: 3}}
$v1 = [c for c in $c1 if c.value <= $H]
def $f1(x, kinds=tuple($c1), *, default=None):
    for kind in kinds:
        if kind.value == x:
            return kind
    return default
def __getattr__(name):
    if name == 'lazy':
        return $H
    raise AttributeError(name)
====
import beside
from beside import $c1 as Kind, $f1
$v2 = $f1($H) or Kind.A
$v3 = $v2.table.get(1, $v2.value)
match $v2:
    case Kind.A:
        $v4 = 1
    case beside.$c1.B:
        $v4 = 2
$v5 = $f1($H, default=Kind.B) is Kind.B
$v6 = {Kind.A: 1}.get($f1(9)) == 1
$v7 = beside.lazy + len(beside.$v1)
$v8 = getattr(beside, 'nope', 3)
-->
int $v3
int $v4
bool $v5
bool $v6
int $v7
int $v8
"""
