# What of jq's library is written in jq. It stands before a program and behind what jaq brings along.

def not: if . then false else true end;
def nulls: select(. == null);
def values: select(. != null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def isvalid(f): try (f | true) catch false;
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def abs: if type == "number" and . < 0 then -. else . end;
def toarray: if type == "array" then . else [.] end;
def significand: if . == 0 or isinfinite or isnan then . else . / (fabs | log2 | floor | exp2) end;
def logb: if . == 0 then -infinite else fabs | log2 | floor end;
def pow10: exp10;

def map(f): [.[] | f];
def map_values(f): .[] |= f;
def recurse_down: recurse;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def add(f): reduce f as $x (null; . + $x);
def add: reduce .[] as $x (null; . + $x);
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def index($i): indices($i) | .[0];
def rindex($i): indices($i) | .[-1:][0];
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("Out of bounds negative array index") else first(skip($n; f)) end;
def until(cond; update): def rec: if cond then . else update | rec end; rec;
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations($n): . as $dot | [range($n)] | map($dot) | combinations;
def transpose: if . == [] then [] else . as $in | (map(length) | _max_by(.)) as $max
  | [range(0; $max) as $j | [range(0; $in | length) as $i | $in[$i][$j]]] end;

def sort_by(f): _sort_by(map([f]));
def group_by(f): _group_by(map([f]));
def unique_by(f): _unique_by(map([f]));
def unique: if type == "array" then _unique_by(.) else sort end;
def min_by(f): _min_by(map([f]));
def max_by(f): _max_by(map([f]));
def min: _min_by(.);
def max: _max_by(.);
def flatten: _flatten(1000);
def flatten($n): if $n < 0 then error("flatten depth must not be negative") else _flatten($n) end;

def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def from_entries: reduce .[] as $x ({}; . + {($x
    | if type == "object" then (if .key == null then .k // .name // .Name // .K // .Key else .key end) else .key end):
  ($x | if has("value") then .value elif has("v") then .v else .Value end)});
def with_entries(f): to_entries | map(f) | from_entries;

def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def getpath($p): if $p | type != "array" then error("Path must be specified as an array") elif ($p | length) == 0 then . else .[$p[0]] | getpath($p[1:]) end;
def setpath($p; $v): if $p | type == "array" then getpath($p) = $v else error("Path must be specified as an array") end;
def del(f): delpaths([path(f)]);
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2 then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input
  | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;

def _limit($n; f): limit($n; f);
def limit($n; f): if $n < 0 then f else _limit($n; f) end;
def range($from; $upto): if ($from | type) == "number" and ($upto | type) == "number" then range($from; $upto; 1)
  else error("Range bounds must be numeric") end;
def range($upto): range(0; $upto);

def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def INDEX(f): INDEX(.[]; f);
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;

def _flagged(re; $flags): re | if type == "array" then {re: .[0], flags: (.[1] // $flags)} else {re: ., $flags} end;
def match(re; $flags): _flagged(re; $flags) as $r | _match($r.re; $r.flags)[];
def match(re): match(re; null);
def test(re; $flags): _flagged(re; $flags) as $r | _test($r.re; $r.flags);
def test(re): test(re; null);
def _named: [.captures[] | select(.name != null) | {key: .name, value: .string}] | from_entries;
def capture(re; $flags): match(re; $flags) | _named;
def capture(re): capture(re; null);
def scan($re; $flags): match($re; "g" + $flags) | if (.captures | length) > 0 then [.captures[].string] else .string end;
def scan($re): scan($re; null);
def split($re; $flags): [_pieces($re; "g" + $flags)[] | strings];
def splits($re; $flags): split($re; $flags)[];
def splits($re): splits($re; null);
def sub($re; str; $flags): reduce _pieces($re; $flags)[] as $piece (""; . + ($piece | if type == "string" then . else _named | str end));
def sub($re; str): sub($re; str; "");
def gsub($re; str; $flags): sub($re; str; $flags + "g");
def gsub($re; str): sub($re; str; "g");

def debug: _debug;
def debug(msgs): (msgs | _debug | empty), .;
def halt_error: halt_error(5);
def tostring: "\(.)";
def have_literal_numbers: true;
def have_decnum: true;
def get_search_list: [];
