"""Hold the templates that `shapes.py` fills in; between two stands `----`, before what one leaves behind `-->`.

Those of `MODULES` begin with a module of their own, `beside.py`, which ends at `====`; `==== NAME` begins another one.
"""

TEMPLATES = """\
def $f1(x):
    return x + $H
def $f2(x):
    return x * 2
$d1 = {9: $f1, 10: $f2, 12: lambda x: x - 1}
$v1 = $d1.get($H, $f2)($E)
try:
    $v2 = $d1[$H]($L)
except KeyError:
    $v2 = -1
-->
int $v1
int $v2
def-int $f1
----
$d1 = {'a': {9: 1, 10: $E}, 'b': {12: 3}}
$d1['b'][$H] = $L
$d1.setdefault('$[a ~ c]$', {})[$L] = $E
$v1 = 0
for $k1, $t1 in $d1.items():
    $v1 += $t1.get($H, 7)
    $[$t1[0] = 1 ~ $v1 += len($t1) ~ $v1 += len($k1)]$
$v2 = $d1['a'].get($H)
$v3 = 9 in $d1['b']
-->
int $v1
opt $v2
bool $v3
table $d1['b'].copy()
----
$d1 = {(8, 0): 1, (9, 0): $E, (12, 0): 3}
$v1 = $d1.get($P, $L)
$v2 = $P in $d1
$v3 = [k for k in $d1 if k >= $P]
$v4 = max((k for k in $d1 if k <= $P), default=(0, 0))
$v5 = sum(a for a, _ in $d1)
-->
int $v1
bool $v2
pair $v4
int $v5
int len($v3)
----
$v1 = 0
$v2 = $T
for $k1 in $[(8, 9, $H) ~ $P ~ [$H, $L] ~ range(3)]$:
    try:
        $v1 += $v2[$k1]
        $[pass ~ if $v1 > 20: break ~ if $k1 == 9: continue]$
        $v1 += 1
    except KeyError:
        $[continue ~ break ~ $v1 += 5 ~ pass]$
    finally:
        $v1 += 100
    $v1 += 1000
$[else:
    $v1 = -$v1 ~ ]$
-->
int $v1
----
$v1 = []
for $k1 in (1, 2, $H):
    for $k2 in $[$P ~ (1, $k1) ~ range($k1 % 3)]$:
        if $k2 == $[$k1 ~ $H ~ $L]$:
            $[break ~ continue]$
        $v1.append($k1 * 10 + $k2)
    $[else:
        $v1.append(-1) ~ ]$
    if len($v1) > 4:
        break
$[else:
    $v1.insert(0, 99) ~ ]$
-->
ints $v1
----
class $c1($[ValueError ~ KeyError ~ Exception ~ RuntimeError]$):
    pass
def $f1(x):
    if x $[> ~ == ~ <]$ $H:
        raise $c1($[x ~ 'no' ~ ]$)
    return x + 1
try:
    $v1 = $f1($E)
except $[$c1 ~ ValueError ~ (KeyError, ValueError)]$ as error:
    $v1 = 100
except Exception:
    $v1 = 200
$[else:
    $v1 += 1 ~ ]$
$[finally:
    $v2 = 3 ~ finally:
    $v2 = $v1 ~ finally:
    $v2 = $H]$
-->
int $v1
int $v2
risky-int $f1
----
def $f1(x):
    try:
        try:
            return $T[$[x ~ $H]$]
        except $[IndexError ~ KeyError ~ ValueError]$:
            $[raise ~ raise ValueError('bad') ~ return 3 ~ x = 1]$
        finally:
            $[x += 1 ~ pass ~ $T.get(x)]$
    except $[KeyError ~ ValueError ~ LookupError]$ as error:
        return $[-1 ~ len(error.args) ~ x]$
    return x
try:
    $v1 = $f1($E)
except Exception:
    $v1 = -5
-->
int $v1
risky-int $f1
----
def $f1(x):
    return $L if x <= 0 else $f1(x - $[1 ~ 3]$) + $[1 ~ $H ~ x]$
$v1 = $f1($[3 ~ $H % 5]$)
-->
int $v1
----
def $f1(g, *args, **named):
    return g(*args, **named) + $[0 ~ len(args) ~ len(named) ~ $H]$
def $f2(x, k=$L):
    return x $[+ ~ - ~ *]$ k
$v1 = $f1($f2, $E)
$v2 = $f1($f2, $E, k=$H)
$v3 = $f1(lambda: $H)
$v4 = sum(map($f2, $I))
$v5 = sorted([$H, $L, 3], key=$f2)[0]
$p1 = partial($f2, k=$H)
$v6 = $p1($[2 ~ $E]$)
-->
int $v1
int $v2
int $v3
int $v4
int $v5
int $v6
def-int $p1
----
def $f1(k):
    $[n = $H ~ n = [k] ~ n = {k: 1}]$
    def inner(x):
        return x + k + $[$H ~ 1]$
    k $[+= 1 ~ = $H]$
    return inner
$f2 = $f1($E)
$v1 = $f1(3)(4)
$v2 = $f2($L)
-->
int $v1
int $v2
def-int $f2
----
def $f1(x):
    yield x
    if x > $H:
        $[return ~ yield 50]$
    yield from $[(1, 2) ~ [$H] ~ $P]$
    yield $L
$v1 = sum($f1($E))
$v2 = next($f1($H))
$v3 = [i for i in $f1($L) if i > 2]
$v4 = dict(enumerate($f1(2)))
-->
int $v1
int $v2
ints $v3
table $v4
----
from dataclasses import field
@dataclass$[ ~ (frozen=True) ~ (eq=False)]$
class $c1:
    a: int
    b: list = field(default_factory=list)
    c: int = $L
    def total(self, x):
        return self.a + sum(self.b) + self.c + x
    def grow(self, x):
        self.b.append(x)
        return len(self.b)
$o1 = $c1($E)
$v1 = $o1.grow($H)
$o2 = $c1($H, [1, 2], c=$E)
$v2 = $o1.total($L)
$v3 = $o2.total(1)
-->
int $v1
int $v2
int $v3
int $o2.a
def-int $o2.total
----
@dataclass
class $c1:
    a: int = 2
    t: dict = None
    def __post_init__(self):
        self.b = self.a + $H
        if self.t is None:
            self.t = {9: 1, self.b: 2}
$o1 = $c1($[ ~ $E ~ $H ~ 3, {$L: 4}]$)
$v1 = $o1.t.get($H, 5)
$o1.a = $E
-->
int $v1
int $o1.b
int $o1.a
table $o1.t.copy()
----
class $c1(Enum):
    OLD = 8
    HOPPER = 9
    BLACKWELL = 10
    @property
    def wide(self):
        return self.value * $L
    @classmethod
    def of(cls, x):
        for member in cls:
            if member.value == x:
                return member
        return cls.OLD
$d1 = {$c1.HOPPER: 5, $c1.OLD: 6}
$v1 = $c1.of($H)
$v2 = $d1.get($v1, 1)
$v3 = $v1 is $c1.HOPPER
$v4 = $v1 in ($c1.HOPPER, $c1.BLACKWELL)
$v5 = $c1['OLD'].value + $c1.of($L).wide
match $v1:
    case $c1.HOPPER:
        $v6 = 1
    case $c1.OLD | $c1.BLACKWELL:
        $v6 = 2
-->
int $v2
bool $v3
bool $v4
int $v5
int $v6
str $v1.name
----
$v1 = {9, $H, $L}
$v2 = frozenset($I)
$v3 = $v1
$[$v1 |= {$E} ~ $v1 &= {9, 10, 12} ~ $v1 -= {$H} ~ $v1 ^= {9, 5} ~ $v1 = $v1 | {3}]$
$[$v3.add($L) ~ $v3.discard($H) ~ $v3.update($P) ~ $v3.difference_update([9]) ~ $v3.intersection_update({9, 12})]$
$v4 = len($v1)
$v5 = $v1 $[<= ~ < ~ >= ~ > ~ == ~ !=]$ {9, 10, $H}
$v6 = $v1.$[issuperset ~ issubset ~ isdisjoint]$({$H})
$v7 = $v2 in {frozenset({9}), frozenset($P)}
$v8 = $v1.symmetric_difference({$E})
$v9 = sorted($v1 $[& ~ | ~ - ~ ^]$ $v2)
-->
set $v1
int $v4
bool $v5
bool $v6
bool $v7
set $v8
ints $v9
----
($v1, $v2), $v3 = $P, $E
$v1, $v2 = $v2, $v1
$v4, *$v5, $v6 = [$H, $L, *$P]
[$v7, ($v8, *$v9)] = $E, $P
for $k1, ($k2, $k3) in enumerate(zip($P, $[(1, 2, 3) ~ $P ~ $I[:2]]$)):
    $v3 += $k1 * 100 + $k2 + $k3
-->
int $v1
int $v2
int $v3
int $v4
ints $v5
int $v6
int $v7
int $v8
ints $v9
----
$v1 = $v2 = 0
while ($v1 := $v1 + 1) < $[4 ~ $H ~ 3]$:
    $v2 += $v1
    $[pass ~ if $v2 > $H: break ~ if $v1 == 2: continue]$
    $v2 += 10
if ($v3 := $H) > 8 and ($v4 := $v3 + 1) > $L:
    $v5 = $v4
else:
    $v5 = $v3
$v6 = [y for x in (1, $E, $L) if (y := x + $H) > 12]
$v7 = any((w := k) > $H for k in (8, 9, $L))
-->
int $v2
int $v3
int $v5
ints $v6
bool $v7
----
match $[$P ~ ($H, ($L, $H)) ~ [$H, 1] ~ f'sm_{$H}' ~ $T.get($H) ~ $H > 9 ~ ($E, 'x')]$:
    case $[(9, 0) as got ~ (a, b) if a > 9 ~ (12 | 10, _)]$:
        $v1 = 1
    case $[(_, (9, b)) ~ (a, (b, c)) if a == c ~ [a, 1]]$:
        $v1 = 2
    case $['sm_90' | 'sm_100' ~ None ~ True ~ False ~ 9 | 10 | 12]$:
        $v1 = 3
    case $[(a, str()) ~ int(a) ~ str(a) ~ [first, *rest] ~ (a, 'x')]$:
        $v1 = 4
    case _:
        $v1 = 5
-->
int $v1
----
def $f1(x):
    match $[x ~ $H ~ (x, $H)]$:
        case $[9 ~ 10 | 12 ~ (9, 9)]$ $[ ~ if x > 3 ~ if $H == 9]$:
            return 1
        case $[8 ~ (a, b) if a > b ~ int()]$:
            x += 10
        case $[_ if x == 3 ~ (9, _) ~ 80]$:
            return x
    return x + 100
$v1 = [$f1(i) for i in (8, 9, 12, $H)]
-->
ints $v1
def-int $f1
----
$v1 = 0
for $k1 in (8, 9, 10, $H):
    match $k1:
        case 8:
            continue
        case 9 if $B:
            break
        case 9 | 10:
            $v1 += 1
        case got:
            $v1 += got
-->
int $v1
----
from torch.cuda import get_device_capability as $f1
import torch.cuda as $c1
try:
    import nothing_like_this as $v1
except ImportError:
    $v1 = None
$v2 = $f1()[0] if $v1 is None else 3
$v3, $v4 = $c1.get_device_capability()
$v5 = f'{$v3}.{$v4}'
-->
int $v2
int $v3
str $v5
----
$d1 = {}
def $f1(k):
    def deco(function):
        $d1[k] = function
        return function
    return deco
@$f1(9)
def $f2(x):
    return x + 1
@$f1($[10 ~ 12 ~ $L]$)
def $f3(x):
    return x + $H
$v1 = $d1.get($H, $f2)($E)
$v2 = $H in $d1
$v3 = len($d1)
-->
int $v1
bool $v2
int $v3
----
class $c1:
    T = {9: 1, 10: 2}
    N = $L
    def __init__(self, x):
        self.x = x
        self.setup()
    def setup(self):
        self.y = $[self.T ~ type(self).T ~ self.__class__.T ~ $c1.T]$.get($H, self.N)
    def look(self, x):
        return $[self.T[x] ~ self.T.get(x, self.y) ~ self.y + x ~ self.T.get($H, x)]$
class $c2($c1):
    T = {**$c1.T, 12: $E}
    $[N = 77 ~ pass ~ def setup(self): self.y = -1]$
    def look(self, x):
        return super().look(x) $[+ 1 ~ * 2]$
$o1, $o2 = $c1($E), $c2($H)
$v1 = isinstance($o2, $c1) and not isinstance($o1, $c2)
try:
    $v2 = $o2.look($H)
except KeyError:
    $v2 = 0
-->
int $o1.y
int $o2.y
bool $v1
int $v2
int getattr($o1, 'x', 3)
int getattr($o1, 'z', 3)
bool hasattr($o2, 'y')
risky-int $o1.look
----
$d1 = {9: 'a', 10: 'b'}
$d2 = {9: 1, 12: 2}
def $f1(x):
    $[if x not in $d1: return -1 ~ assert x in $d1, 'unsupported' ~ if x not in $d1: raise ValueError(f'sm_{x}') ~ if x < 9: return 0]$
    return $d2[x]
try:
    $v1 = $f1($H)
except $[KeyError ~ Exception ~ AssertionError ~ (ValueError, KeyError)]$:
    $v1 = -2
-->
int $v1
risky-int $f1
----
def $f1(x):
    if $H >= $[8 ~ 9 ~ 10]$:
        if $H > $[7 ~ 8 ~ 9]$:
            return x
        return 1
    elif isinstance($P, tuple) and $H $[!= ~ ==]$ 9:
        return 2
    else:
        $[return 3 ~ pass ~ x = 4]$
    return $[5 ~ x]$
$v1 = $f1($E)
if $H < 8:
    $v2 = 1
elif $H == $[9 ~ 8]$ and $[True ~ $P[1] == 0 ~ $B]$:
    $v2 = 2
elif not $H > 9 or $H == 12:
    $v2 = 3
else:
    $v2 = 4
-->
int $v1
int $v2
def-int $f1
----
import math, operator, re
from collections import OrderedDict, defaultdict
$d1 = defaultdict($[int ~ list ~ lambda: 3]$)
$d2 = OrderedDict([(9, 1), ($H, 2)])
$v1 = math.ceil($H / $[4 ~ 3 ~ 2.5]$) + math.floor($E / 4)
$v2 = operator.$[ge ~ lt ~ eq ~ ne]$($H, $[9 ~ $E]$)
$v3 = re.sub('$[_ ~ [0-9] ~ sm_]$', '', f'sm_{$H}')
$v4 = re.findall('[0-9]', f'sm_{$H}')
$v5 = re.match('sm_9', f'sm_{$H}') is None
$v6 = $d2.get($H, 8)
-->
int $v1
bool $v2
str $v3
strs $v4
bool $v5
int $v6
----
$v1 = [$H, $L, *$P]
$v2 = $v1
$[$v1[1:] = [5] ~ $v1[:0] = $P ~ del $v1[0] ~ del $v1[1:3] ~ $v1[-1] = $E ~ $v1[0] += $L ~ $v1 += [1] ~ $v1 = $v1 + [1]]$
$[$v2.sort() ~ $v2.sort(reverse=True) ~ $v2.sort(key=lambda q: -q) ~ $v2.reverse() ~ $v2.insert(1, $L) ~ $v2.extend($P) ~ $v2.append($H)]$
$v3 = $v2.pop($[ ~ 0 ~ -1]$)
$v4 = [[$H] * 2, [1]]
$v4[0].append($E)
$v5 = $v4[0]
$v5[0] = $L
$v6 = sum(sum(k) for k in $v4)
-->
ints $v1
ints $v2
int $v3
ints $v5
int $v6
----
$d1 = $T
$d2 = $[$d1 ~ dict($d1) ~ $d1.copy() ~ {**$d1}]$
$d1[$H] = $d1.get($H, 0) + $L
$[$d2.update({$H: 1}) ~ $d2 |= {9: 1} ~ $d2.pop(9, None) ~ $d2[$L] = 4 ~ $d2.setdefault($H, $E) ~ $d2.clear() ~ $d2.update(zip($P, $P))]$
$v1 = $d1.pop($H, $L)
$v2 = list($d2.items())[:1]
$v3 = sum(v for k, v in $d2.items() if k $[!= ~ >= ~ ==]$ $H)
$v4 = $L in $d2.values()
$v5 = min($d2, default=$E)
$v6 = max($d2.values(), default=0)
if $H in $d2:
    del $d2[$H]
-->
table $d1
table $d2
int $v1
int len($v2)
int $v3
bool $v4
int $v5
int $v6
----
class $c1:
    made = 0
    held = []
    def __init__(self, x):
        $c1.made += 1
        self.held.append(x)
        self.t = {x: 1}
    def __enter__(self):
        self.t[$H] = 5
        return self
    def __exit__(self, kind, value, trace):
        self.t['left'] = 1
        return $[True ~ False ~ kind is KeyError]$
$v1 = 0
try:
    with $c1($E) as $o1, suppress($[IndexError ~ KeyError]$):
        $v1 = $o1.t[$[$H ~ $L]$]
        $v1 = {9: 1}[$H]
        $v1 += 1
except Exception:
    $v1 -= 1
$v2 = $c1.made
$v3 = len($c1.held)
-->
int $v1
int $v2
int $v3
----
$v1 = $E
$v2: int = $H
$v3 = $v1 if $v2 > 9 else $L if $v2 > 8 else $H
$v4 = ($v1 > 3) + ($v2 > 9) * 2 - (not $v1)
$v5 = $v1 is None or $v2 == 9 != $v1
$v6 = 8 <= $v2 <= $[9 ~ 10 ~ $E]$ < 1000
$v7 = ($v1 or 3) and ($v2 or 4)
$v8 = [$v1, $v2][$v2 > 9]
$v9 = {True: 1, False: 2}[$v2 $[>= ~ ==]$ 9]
-->
int $v3
int $v4
bool $v5
bool $v6
int $v7
int $v8
int $v9
----
$v1 = f'{$H}.{$L}'
$v2 = '{0}-{1:>3}|{a}'.format($H, $L, a=$E)
$v3 = '%(a)d/%(b)s' % {'a': $H, 'b': $S}
$v4 = f'{$v1:>6}|{$v1!r}|{$H:x}|{$H:>+4}'
$v5 = $v1.split('.')
$v6 = int($v5[0]) * 10 + int($v1.rsplit('.', 1)[-1])
$v7 = $v1.count('0') + $v1.index('.') + len($v1.center(9))
$v8 = $v1 < $[\"9.0\" ~ $S ~ \"12\"]$
$v9 = tuple(int(p) for p in $v1.split('.'))
-->
str $v1
str $v2
str $v3
str $v4
strs $v5
int $v6
int $v7
bool $v8
pair $v9
----
def $f1(x, *, k=$L, **more):
    return x + k + sum(more.values())
def $f2(x, y=[], t={}):
    y.append(x)
    t[x] = len(y)
    return len(y) + len(t)
$d1 = {'k': $H}
$v1 = $f1($E, **$d1)
$v2 = $f1($E, **{**$d1, 'z': 3})
$v3 = $f2($H) + $f2($L)
$v4 = $f2(1, [5])
$v5 = (lambda *a, k=2: sum(a) + k)(*$P, k=$L)
-->
int $v1
int $v2
int $v3
int $v4
int $v5
----
$v1 = None
$v2 = False
def $f1(x):
    global $v1, $v2
    if $v1 is None:
        $v1 = x + $H
        $v2 = True
    return $v1
def $f2(x):
    return 1 if $v2 else x
$v3 = $f2(5)
$v4 = $f1($[3 ~ $E]$)
$v5 = $f1($L) + $f2(7)
-->
int $v3
int $v4
int $v5
----
class $c1:
    def __init__(self):
        self._k = None
        self.n = 0
    @property
    def k(self):
        if self._k is None:
            self._k = $H
            self.n += 1
        return self._k
    @functools.cached_property
    def c(self):
        return self.k + $L
    @staticmethod
    def s(x):
        return x + $H
    @classmethod
    def make(cls, x=0):
        made = cls()
        made.n = x
        return made
$o1 = $c1.make($E)
$v1 = $o1.k + $o1.k
$v2 = $o1.c
-->
int $v1
int $v2
int $o1.n
def-int $c1.s
----
def $f1(x):
    out = []
    for k in range(x % 4):
        try:
            if k == $[1 ~ 2]$:
                $[continue ~ break ~ return 50 ~ raise KeyError(k)]$
            out.append(k)
        except KeyError as error:
            out.append(error.args[0] * 10)
        else:
            out.append(100)
        finally:
            out.append($[7 ~ x ~ $H]$)
    else:
        out.append(1000)
    return sum(out)
$v1 = $f1($H)
$v2 = $f1(3)
-->
int $v1
int $v2
def-int $f1
----
$v1 = [(a, b) for a in $P for b in range(a % 3) if a != b]
$v2 = {a: [b for b in range(3) if b < a] for a in (1, $H)}
$v3 = {k: v for d in ({9: 1}, $T) for k, v in d.items()}
$v4 = [*map(lambda a, b: a - b, $P, (1, 2))]
$v5 = list(zip(*[$P, (1, 2)]))
$v6 = dict(map(lambda k: (k, k + 1), $I))
$v7 = sum(k * v for k, v in enumerate($P))
$v8 = sorted({'b': $H, 'a': 9}.items(), key=lambda kv: kv[1])[0][1]
$v9 = [x for x in filter(lambda k: k $[> ~ !=]$ $H, (8, 9, 10))]
-->
int len($v1)
ints $v2[1]
table $v3
ints $v4
int $v5[0][0]
table $v6
int $v7
int $v8
ints $v9
----
class $c1(NamedTuple):
    a: int
    b: int = 0
    def up(self, x):
        return self.a * 10 + self.b + x
$o1 = $c1(*$P)
$o2 = $o1._replace(b=$L)
$v1 = $o1 >= $[(9, 0) ~ $c1(9) ~ $o2]$
$v2, $v3 = $o2
$v4 = $o1 in {(9, 0): 1, $c1(10, 3): 2}
$v5 = {$c1(9): 5}.get($o1, 6)
$v6 = max($o1, $o2).a
-->
bool $v1
int $v2
bool $v4
int $v5
int $v6
int $o2.b
def-int $o1.up
----
def $f1(majors, x=0):
    return $H in majors or x in majors
$p1 = lru_cache(maxsize=1)(partial($f1, majors=[$L, $[9 ~ 10 ~ 12]$]))
$p2 = cache(partial($f1, [8, 9]))
@cache
def $f2(x):
    return $H $[== ~ >= ~ <]$ x
$v1 = $p1()
$v2 = $p2($E)
$v3 = any($f2(k) for k in ($L, 9)) and not $f2(10)
$v4 = $p1(x=$H) or $f2($E)
-->
bool $v1
bool $v2
bool $v3
bool $v4
----
class $c1:
    name = 'old'
    def cap(self):
        return $[$P ~ ($H, 0)]$
    def has(self, x):
        return self.cap() >= (x, 0)
class $c2($c1):
    name = 'new'
    $[def cap(self): return ($H + 1, 0) ~ extra = 3]$
def $f1():
    $[return $c2 if $H > 9 else $c1 ~ return {9: $c1}.get($H, $c2)]$
$o1 = $f1()()
$v1 = $o1.cap()[0]
$v2 = $o1.has($L)
$v3 = $o1.name
$o2 = ($c2 if $B else $c1)()
$v4 = $o2.has($H)
-->
int $v1
bool $v2
str $v3
bool $v4
bool isinstance($o1, $c2)
----
if $H $[>= ~ == ~ <]$ $L:
    def $f1(x):
        return x + 1
    $v1 = {9: $E}
    class $c1:
        K = 1
else:
    def $f1(x):
        return x - $H
    $v1 = {$H: 2}
    class $c1:
        K = 2
class $c2:
    if $H > 9:
        K = $E
    else:
        K = 4
    $[for i in (1, 2): K += i ~ M = K + 1 ~ T = {k: 1 for k in (8, 9)}]$
$v2 = $f1($E)
$v3 = $c1.K + $c2.K
try:
    $v4 = $v1[$H]
except KeyError:
    $v4 = None
-->
table $v1
int $v2
int $v3
opt $v4
def-int $f1
----
$d1 = {}
for $k1 in $[(8, 9, 10) ~ $P ~ range($H % 4) ~ sorted({$H, 9})]$:
    $d1[$k1] = $[$k1 * 2 ~ $H ~ len($d1)]$
    $[if $k1 == $H: break ~ $d1.setdefault($k1 + 1, 0) ~ pass]$
$d1.update($[{$H: 0} ~ {} ~ ((k, 1) for k in $P) ~ {12: $E}]$)
$v1 = $d1.get($H) or $L
$v2 = 9 in $d1 and $d1[9] > 3
$v3 = list($d1)[$[0 ~ -1]$] if $d1 else 0
$v4 = next(iter($d1), 5)
-->
table $d1
int $v1
bool $v2
int $v3
int $v4
----
$v1 = '$[90a ~ sm_90 ~ 10.3 ~ 12 ~ gfx942]$'
try:
    $v2 = int($v1$[ ~ [:2] ~ [3:] ~ .split('.')[0]]$)
except ValueError:
    $v2 = -1
$v3 = [c for c in $v1 if c.isdigit()]
$v4 = ''.join(c for c in f'{$H}x' if c.isalnum())
$v5 = $v1.startswith(('sm', str($H)))
$v6 = f'{$H:{$[3 ~ 5]$}d}' + f'{$H=}'[-2:]
$v7 = sum(int(c) for c in str($H))
$v8 = 'x' * ($H % 3) + '-'.join(['a', f'{$H}'])
$v9 = sorted([f'{$H}.0', '9.0', '10.0'])[0]
-->
int $v2
strs $v3
str $v4
bool $v5
str $v6
int $v7
str $v8
str $v9
----
$v1 = [3, $H, $L, 5, 7]
$v2 = $v1[$[:$H % 4 ~ ::2 ~ -$H % 3: ~ 1:-1 ~ $H % 5:]$]
$v3 = $v1[$H % $[5 ~ 3]$] + $v1[-1]
$v1[$[1:2 ~ :$H % 3 ~ 4:]$] = [$E$[ ~ , 1]$]
$v4 = list(range($H, 0, $[-2 ~ -3]$)) + list(reversed(range(3)))
$v5 = [i * x for i, x in enumerate($v1, start=$L)]
$v6 = [*reversed($v2)]
$v7 = 3 in $v1 and $v1.index(3)
-->
ints $v1
ints $v2
int $v3
ints $v4
ints $v5
ints $v6
----
class $c1:
    def __init__(self):
        self.d = {9: 1, $H: 2}
        self.l = [1, 2, 3]
        self.inner = None
    def put(self, x):
        self.d[x] = self.d.get(x, 0) + 1
        self.l[0] $[+= ~ -= ~ *=]$ x
        self.l += [x]
        return self
$o1, $o2 = $c1(), $c1()
$o1.inner = $o2
$o1.put($H).put($L)
$o1.inner.d[$[$H ~ 9]$] += $E
$o2.l[$[-1 ~ $H % 3]$] -= 1
$v1 = $o1.d.get($H, 0) + sum($o2.l)
$v2 = $o2.d.pop($H, None)
$v3 = $o1.inner is $o2 and $o2.inner is None
$v4 = len($o1.l) * 10 + len($o2.l)
-->
int $v1
opt $v2
bool $v3
int $v4
ints $o1.l.copy()
table dict($o2.d)
----
$d1 = {}
$v1 = []
def $f1(x):
    $v1.append(x)
    return x > $[9 ~ $H]$
$f1(1) and $f1(2)
$f1(20) or $f1(3)
$v2 = 5 if $f1($H) else $f1(7)
$v3 = $f1(30) and $d1.update({$H: 1}) is None
$v4 = [$f1(k) for k in (8, $H) if $f1(k)]
$v5 = $f1(1) < $f1(40) < $f1(2)
$[$f1(5) if $B else $f1(6) ~ not $f1(8) and $d1.setdefault(3, 4) ~ ($d1 or {1: 2})[1] = $H if False else 3]$
$v6 = len($v1)
-->
int $v6
bool $v5
int len($d1)
----
$v1 = $E
try:
    del $v1
    $v2 = $v1
except NameError:
    $v2 = $L
def $f1(x):
    if x > $H:
        y = 1
    try:
        return y
    except UnboundLocalError:
        return 7
    finally:
        $[x = 0 ~ y = 3 ~ pass]$
$v3 = $f1($E) * 100 + $f1(1000)
-->
int $v2
int $v3
def-int $f1
----
from collections import namedtuple
$c1 = namedtuple('$c1', $['a b' ~ ['a', 'b']]$)
$o1 = $c1($H, $[b=$E ~ $L]$)
$v1 = $o1.a + $o1[1]
$v2 = $o1 > $[(9, 0) ~ $P]$
$a1, $b1 = $o1
-->
int $v1
bool $v2
int $a1
int $b1
----
from dataclasses import asdict, astuple, replace
@dataclass$[ ~ (order=True)]$
class $c1:
    a: int
    b: int = $L
@dataclass
class $c2($c1):
    c: int = 3
    def all(self):
        return self.a + self.b * 10 + self.c * 100
$o1 = $c2($H$[ ~ , 4 ~ , c=$E]$)
$o2 = replace($o1, b=$H)
$v1 = $o1.all() + $o2.all()
$v2 = $o1 == $o2
$v3 = $c1(1, 2) == $c1($[1 ~ $H]$, 2)
$v4 = astuple($o1)[0]
-->
int $v1
bool $v2
bool $v3
int $v4
int $o2.b
----
from enum import auto, Flag
class $c1(IntEnum):
    A = $L
    B = $[9 ~ 10]$ * 100
    @property
    def next(self):
        return self + 1
class $c2(Enum):
    X = auto()
    Y = (9, 0)
    Z = 'sm_90'
$v1 = $c1.B > $H
$v2 = $c1.A.next
$v3 = $c2.Y.value <= $P
$v4 = [m.name for m in $c2 if m is not $c2.X]
$v5 = {$c2.Y: 1, $c2.Z: 2}[$c2.Y if $H > 9 else $c2.Z]
$v6 = max($c1.A, $H)
try:
    $v7 = $c1($H).value
except ValueError:
    $v7 = -1
-->
bool $v1
int $v2
bool $v3
strs $v4
int $v5
int $v6
int $v7
----
def $f1(x):
    $f1.calls += 1
    return x + $f1.calls
$f1.calls = $[0 ~ $H]$
$v1 = $f1($E)
$v2 = $f1(1)
$f2 = [lambda x, k=k: x + k for k in (1, $H)]
$v3 = $f2[0](1) * 100 + $f2[-1](2)
$v4 = (max if $H > 9 else min)($E, $L)
$f3 = {'a': $f2[0]}.get('a')
$v5 = $f3($H)
def $f4(x, y=$[$H ~ [$H]]$, *, z={}):
    z[x] = y
    return len(z)
$v6 = $f4($E) * 10 + $f4($H)
-->
int $v1
int $v2
int $v3
int $v4
int $v5
int $v6
----
$v1 = $P > (9,)
$v2 = $P[:1] $[== ~ <=]$ ($L,)
$v3 = (*$P, 'a')[$[0 ~ 1]$]
$v4 = ($H, *$P) < ($L, 3)
$v5 = $P in [(9, 0), (12, 0)] or $P == $[(10, 0) ~ [10, 0]]$
$v6 = tuple(x $[* ~ +]$ 2 for x in $P) + ($E,)
$v7 = min($P, (9, 5)) != max(($H, 0), (8, 6))
$v8 = bool($P) and not () and len($v6) == 3
$v9 = dict([$P])
-->
bool $v1
bool $v2
int $v3
bool $v4
bool $v5
int $v6[-1]
bool $v7
bool $v8
table $v9
----
def $f1(x):
    if x not in (8, 9, $L):
        $[raise NotImplementedError(f'{x} is not supported') ~ return None ~ return -1]$
    return $f2(x)
def $f2(x):
    assert x $[>= 9 ~ != $H ~ in {9: 1, 12: 2}]$
    return {9: 'a', 10: 'b', 12: 'c'}[x]
try:
    $v1 = $f1($H)
except $[(AssertionError, KeyError) ~ Exception ~ RuntimeError]$:
    $v1 = 'none'
except Exception:
    $v1 = 'other'
$v2 = $v1 is None
$v3 = $v1 in ('a', 'b', -1)
-->
bool $v2
bool $v3
----
$v1 = 0
while True:
    $v1 += 1
    if $v1 > $[3 ~ $H]$:
        break
    try:
        if $v1 == 2:
            continue
        $v1 += {1: 1}[$v1]
    except KeyError:
        $v1 += 10
    else:
        $v1 += 2
$v2 = 0
while $v2 < $[2 ~ $H]$:
    $v2 += 1
    $[if $v2 == $H: break ~ if $v2 > 3: $v2 += 5 ~ pass]$
else:
    $v2 += 1000
$v3 = [0, 0]
while len($v3) < $[4 ~ $H % 5]$:
    $v3.append($v3[-1] + $H)
-->
int $v1
int $v2
ints $v3
----
class $c1:
    def __init__(self, x):
        self.x = x
    def __eq__(self, other):
        return isinstance(other, $c1) and self.x == other.x
    def __hash__(self):
        return hash(self.x)
    def __lt__(self, other):
        return self.x < other.x
    def __getitem__(self, k):
        return {9: self.x}$[[k] ~ .get(k, 0)]$
    def __len__(self):
        return $H % 3
    def __call__(self, x):
        return self.x + x
$o1, $o2 = $c1($H), $c1($E)
$v1 = $o1 == $o2 or $o1 < $o2
$v2 = $o2 in [$o1] or $o1 in {$o2: 1}
$v3 = sorted([$o1, $o2])[0].x
$v4 = 1 if $o1 else 2
$v5 = $o1(3) + len($o2)
try:
    $v6 = $o1[$H]
except KeyError:
    $v6 = -1
-->
bool $v1
bool $v2
int $v3
int $v4
int $v5
int $v6
----
$v1 = $v2 = [$H]
$v3 = ($v1, $v1)
$v4 = {'a': $v2, 'b': $v2}
$v3[0].append($E)
$v4['b'].append(3)
def $f1(xs, more=None):
    xs.append($L)
    more = more or xs
    more.extend($P)
    return len(xs)
$v5 = $f1($v1)
$v6 = $f1(list($v2), $v4['a'])
$v7 = [$v1] * 2
$v7[1].insert(0, 4)
$v8 = $v1 is $v2 and $v1 == $v4['a']
-->
ints $v1
int $v5
int $v6
bool $v8
int len($v2)
"""

MODULES = """\
$d1 = {9: 1, $H: 2}
$v1 = $H >= $[9 ~ 10]$
$d2 = {k: v + 1 for k, v in $d1.items()}
def $f1(x, t=$d1):
    return t.get(x, $L) if $v1 else x
====
from beside import $d1 as $d3, $v1, $f1 as $f2
import beside as $c1
$v2 = $f2($E) + len($d3)
$v3 = $c1.$d2.get($H, 0) if $v1 else $L
try:
    $v4 = $c1.$d1[$[$H ~ 9 ~ $L]$]
except KeyError:
    $v4 = -1
-->
int $v2
int $v3
int $v4
bool $v1
def-int $f2
----
class $c1:
    T = {9: 1, 10: 2}
    def __init__(self, x=0):
        self.x = x + $[0 ~ $H]$
    def look(self, x):
        return self.T.get(x, self.other())
    def other(self):
        return $L
    @classmethod
    def make(cls):
        return cls($H)
====
from beside import $c1
class $c2($c1):
    $[T = {12: 3} ~ def other(self): return self.x ~ pass]$
    def look(self, x):
        return super().look(x) + 100
$o1, $o2 = $c1.make(), $c2($E)
$v1 = $o1.look($H)
$v2 = $o2.look($L)
$v3 = isinstance($o2, $c1)
-->
int $v1
int $v2
bool $v3
int $o1.x
int $o2.x
----
_$v1 = None
def $f1():
    global _$v1
    if _$v1 is None:
        _$v1 = $P
    return _$v1
def $f2(x):
    return $f1()[0] $[>= ~ == ~ <]$ x
$[__all__ = ['$f1', '$f2'] ~ ]$
====
$[from beside import * ~ from beside import $f1, $f2]$
$v2 = $f1()[0] * 10 + $f1()[1]
$v3 = $f2($L)
$v4 = 'new' if $f2(9) and not $f2(10) else 'other'
-->
int $v2
bool $v3
str $v4
----
class $c1(Enum):
    A = 8
    B = 9
    @staticmethod
    def now():
        return $c1.B if $H > 8 else $c1.A
def $f1(k):
    def deco(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args) + k
        return inner
    return deco
try:
    import no_such_module
    $v1 = True
except ImportError:
    $v1 = False
====
from beside import $c1, $f1, $v1
$d1 = {$c1.A: $L, $c1.B: $E}
$v2 = $d1[$c1.now()]
@$f1($[1 ~ $H]$)
def $f2(x):
    return x * 2
$v3 = $f2($E)
$v4 = $v1 or $c1.now() is $c1.B
-->
int $v2
int $v3
bool $v4
----
class $c1:
    def __init__(self):
        self.cap = $P
    def has(self, x):
        return self.cap[0] >= x
    @property
    def major(self):
        return self.cap[0]
$o1 = $c1()
def $f1(x):
    from beside import $o1 as found
    return found.major + x
====
from beside import $o1, $f1
def $f2(x):
    import beside
    return $f1(x) if beside.$o1.has($L) else -x
$v1 = $o1.major + $f1(1)
$v2 = $f2($E)
$v3 = $o1.has($H)
-->
int $v1
int $v2
bool $v3
def-int $f2
----
if $H $[> ~ ==]$ $L:
    $v1 = 'new'
    def $f1(x):
        return x + 1
    from functools import reduce as $f2
else:
    $v1 = 'old'
    $[def $f1(x): return x - 1 ~ $f1 = lambda x: $H]$
$t1 = ((8, 'a'), (9, 'b'), ($H, 'c'))
$d1 = dict($t1)
====
import beside
from beside import $f1 as $f3
$v1 = beside.$v1
$v2 = $f3($E)
$v3 = beside.$d1[$H]
$v4 = [name for cap, name in beside.$t1 if cap >= $H]
$v5 = getattr(beside, '$v1') == $v1
-->
str $v1
int $v2
str $v3
strs $v4
bool $v5
"""
