//! Work that is common in lessons: text, tables, JSON, HTML, and the language around it.

use crate::world::World;

const CSV: &str = "name,team,points\nAda,red,10\nBob,blue,7\nCy,red,3\nDee,blue,12\n";
const JSON: &str = r#"{"users":[{"name":"Ada","age":36,"tags":["x","y"]},{"name":"Bob","age":41,"tags":[]}]}"#;
const HTML: &str = "<!doctype html>\n<html>\n<body>\n<h1>Hi</h1>\n<a href=\"one.html\">One</a>\n<a href=\"two.html\">Two</a>\n</body>\n</html>\n";

/// A command, what it prints, and its exit code.
const CASES: &[(&str, &str, i32)] = &[
    ("tail -n +2 t.csv | sort -t, -k3 -nr | head -n 2", "Dee,blue,12\nAda,red,10\n", 0),
    ("cut -d, -f2 t.csv | tail -n +2 | sort | uniq -c | awk '{print $2\"=\"$1}'", "blue=2\nred=2\n", 0),
    ("awk -F, 'NR>1 {sum[$2]+=$3} END {for (t in sum) print t, sum[t]}' t.csv | sort", "blue 19\nred 13\n", 0),
    ("awk -F, 'NR>1 && $3>5 {n++} END {printf \"%d of %d\\n\", n, NR-1}' t.csv", "3 of 4\n", 0),
    ("grep -c red t.csv; grep -v red t.csv | wc -l | tr -d ' '", "2\n3\n", 0),
    (
        "grep -n 'B.b' t.csv; grep -E '^(Ada|Cy),' t.csv; grep -io RED t.csv",
        "3:Bob,blue,7\nAda,red,10\nCy,red,3\nred\nred\n",
        0,
    ),
    ("grep nothing t.csv", "", 1),
    ("sed -n '2,3p' t.csv; sed 's/blue/green/g' t.csv | grep -c green", "Ada,red,10\nBob,blue,7\n2\n", 0),
    ("sed -E 's/([A-Z])([a-z]+),(.*)/\\2\\1 \\3/' t.csv | tail -1", "eeD blue,12\n", 0),
    ("cp t.csv u.csv; sed -i '/red/d' u.csv; cat u.csv; rm u.csv", "name,team,points\nBob,blue,7\nDee,blue,12\n", 0),
    ("paste -d: <(cut -d, -f1 t.csv) <(cut -d, -f3 t.csv) | sed 1d | tr '\\n' ' '", "Ada:10 Bob:7 Cy:3 Dee:12 ", 0),
    ("grep -o 'href=\"[^\"]*\"' p.html | sed 's/href=\"//; s/\"$//'", "one.html\ntwo.html\n", 0),
    ("sed -n 's/.*<h1>\\(.*\\)<\\/h1>.*/\\1/p' p.html; grep -c '<a ' p.html", "Hi\n2\n", 0),
    ("find . -name '*.html' -o -name '*.json' | sort", "./p.html\n./u.json\n", 0),
    ("find . -type f | wc -l | tr -d ' '; find . -name '*.csv' -exec wc -l {} \\;", "3\n5 ./t.csv\n", 0),
    (
        "printf '%s\\n' a b c | xargs -n1 echo item; echo 1 2 3 | xargs -I{} echo '<{}>'",
        "item a\nitem b\nitem c\n<1 2 3>\n",
        0,
    ),
    (
        "seq 3 | tr '\\n' '+'; seq 1 2 5 | paste -sd, -; printf '%05.1f|%-4s|%x\\n' 3.14159 ab 255",
        "1+2+3+1,3,5\n003.1|ab  |ff\n",
        0,
    ),
    ("cat <<EOF\n$((6*7)) ${USER:-none}\nEOF\ncat <<'EOF'\n$HOME\nEOF\ncat <<< here", "42 user\n$HOME\nhere\n", 0),
    ("for f in *.csv *.html; do echo \"${f%.*}:${f##*.}\"; done; echo *.none", "t:csv\np:html\n*.none\n", 0),
    (
        "a=(one two three); echo ${#a[@]} ${a[1]} ${a[-1]}; a+=(four); echo \"${a[@]:1:2}\"",
        "3 two three\ntwo three\n",
        0,
    ),
    (
        "declare -A m=([x]=1 [y]=2); for k in $(printf '%s\\n' \"${!m[@]}\" | sort); do echo $k=${m[$k]}; done",
        "x=1\ny=2\n",
        0,
    ),
    (
        "[[ abc == a* && 3 -lt 10 && ! -e none ]] && echo yes; [[ a1 =~ ^([a-z])([0-9])$ ]] && echo ${BASH_REMATCH[2]}",
        "yes\n1\n",
        0,
    ),
    ("i=0; while read -r n; do ((i+=n)); done < <(seq 4); echo $i; echo $((2**10 % 7)) $((0x1f))", "10\n2 31\n", 0),
    (
        "case x.tar.gz in *.zip) echo zip;; *.tar.*) echo tar;; esac; s=Hello; echo ${s,,} ${s^^} ${s/l/L} ${s:1:3}",
        "tar\nhello HELLO HeLlo ell\n",
        0,
    ),
    ("f() { local x=$1; echo $((x*2)); return 3; }; f 21; echo $?", "42\n3\n", 0),
    ("set -e; false; echo not reached", "", 1),
    ("echo out; echo err >&2; ls none 2>/dev/null || echo code $?", "out\nerr\ncode 2\n", 0),
    ("echo a > x; echo b >> x; cat < x; { cat x; echo c; } | tail -n 2; rm x", "a\nb\nb\nc\n", 0),
    ("json get .users.0.name < u.json", "Ada\n", 0),
    ("exit 7", "", 7),
    ("echo 'a b' | while read -r x y; do echo \"$y $x\"; done; echo ab | rev; echo a | base64", "b a\nba\nYQo=\n", 0),
    ("diff <(printf 'a\\nb\\n') <(printf 'a\\nc\\n')", "2c2\n< b\n---\n> c\n", 1),
    (
        "mkdir -p d/e && touch d/e/f && mv d/e d/g && find d | sort; rm -r d; test -d d; echo $?",
        "d\nd/g\nd/g/f\n1\n",
        0,
    ),
    (
        "jq '.users | map(.age) | add' u.json; jq -r '.users[] | [.name,.age] | @csv' u.json",
        "77\n\"Ada\",36\n\"Bob\",41\n",
        0,
    ),
    ("cat u.json | jq -r '.users[].name' | sort -r", "Bob\nAda\n", 0),
    ("jq '[.users[] | select(.age > 40) | {name, n: (.tags|length)}]' -c u.json", "[{\"name\":\"Bob\",\"n\":0}]\n", 0),
    (
        "echo '{' | jq . 2>/dev/null; echo $?; jq -e .none u.json; echo $?; jq none u.json 2>/dev/null; echo $?",
        "5\nnull\n1\n3\n",
        0,
    ),
    (
        "jq . none.json; jq -n --arg x",
        "jq: error: Could not open none.json: No such file or directory\njq: --arg takes two parameters (e.g. --arg varname value)\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq\n",
        2,
    ),
    (
        "jq '.users[0].age = 37' u.json > v.json && mv v.json u.json && jq -c '.users[0]' u.json",
        "{\"name\":\"Ada\",\"age\":37,\"tags\":[\"x\",\"y\"]}\n",
        0,
    ),
    (
        "tail -n +2 t.csv | jq -R 'split(\",\") | {name: .[0], team: .[1], points: (.[2]|tonumber)}' | jq -sc 'group_by(.team) | map({(.[0].team): map(.points) | add}) | add'",
        "{\"blue\":19,\"red\":13}\n",
        0,
    ),
    ("export TEAM=red; N=3 jq -nr '$ENV.TEAM, env.N, ($ENV|has(\"HOME\"))'", "red\n3\ntrue\n", 0),
    (
        "mkdir d; cd d; jq -n --slurpfile u ../u.json '$u[0].users|length'; echo '.users|length' > p.jq; jq -f p.jq /workspace/u.json",
        "2\n2\n",
        0,
    ),
    (
        "n=$(jq '.users|length' u.json); for i in $(seq 0 $((n-1))); do jq -r \".users[$i].name\" u.json; done",
        "Ada\nBob\n",
        0,
    ),
    (
        "sed -n 's/.*<a href=\"\\([^\"]*\\)\">\\([^<]*\\)<.*/\\1,\\2/p' p.html | awk -F, '{print $2\": \"$1}'; sed 's/<[^>]*>//g' p.html | grep -v '^$'",
        "One: one.html\nTwo: two.html\nHi\nOne\nTwo\n",
        0,
    ),
    (
        "sed -i 's|<h1>.*</h1>|<h1>New</h1>|' p.html; grep -c '<li>' p.html; awk '/<a /{n++} END{print n\" links\"}' p.html; grep -o '<h1>[^<]*' p.html",
        "0\n2 links\n<h1>New\n",
        0,
    ),
    (
        "sort -t, -k1,1 t.csv | sed '/^name/d' > a; printf 'Ada,1815\\nCy,1990\\n' > b; join -t, a b; cut -d, -f1,3 t.csv | column -t -s, | head -2",
        "Ada,red,10,1815\nCy,red,3,1990\nname  points\nAda   10\n",
        0,
    ),
    ("csv select name,points t.csv | head -2; csv count t.csv", "name,points\nAda,10\n4\n", 0),
];

#[test]
fn common_work_runs() {
    let mut wrong = Vec::new();
    for (command, printed, code) in CASES {
        let mut world = World::new(&[("t.csv", CSV), ("u.json", JSON), ("p.html", HTML)]);
        let says = world.says(command);
        if says != ((*printed).to_owned(), *code) {
            wrong.push(format!("{command}\n  wanted {code} {printed:?}\n  got    {} {:?}", says.1, says.0));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
