//! What the stand-ins of the tests answer, in shell: enough of each real program for set-up to be taken in.

/// A rustup toolchain; with `RUSTUP_TOOLCHAIN=web` the one that was linked, if one was.
pub const RUSTC: &str = r#"
case $RUSTUP_TOOLCHAIN in
web) [ -e "$disk/linked" ] && . "$disk/debian-rustc.sh" ;;
*) echo "$disk/toolchain/lib" ;;
esac"#;

/// A rustup that reaches its server.
pub const RUSTUP: &str = r#"
case $1 in
target) mkdir -p "$disk/toolchain/lib" && cd "$disk/toolchain/lib" && : >libcore-1.rlib >libstd-1.rlib >libtest-1.rlib ;;
toolchain) : >"$disk/linked" ;;
esac"#;

/// A rustup that reaches nothing.
pub const RUSTUP_OFFLINE: &str = r#"
case $1 in
target) exit 1 ;;
toolchain) : >"$disk/linked" ;;
esac"#;

/// Makes every program that it is asked for, in the version that it is asked for.
pub const CARGO: &str = r#"
package=$3
while [ $# -gt 0 ]; do
    case $1 in
    --root) root=$2 ;;
    --version) version=$2 ;;
    esac
    shift
done
case $package in
wasm-bindgen-cli) programs='wasm-bindgen wasm-bindgen-test-runner' ;;
*) programs=$package ;;
esac
for program in $programs; do
    create "$root/bin/$program" "echo $program $version"
done"#;

/// Refuses what the lock file of a tool asks for; put before [`CARGO`].
pub const REFUSE_LOCKED: &str = r#"case "$*" in *--locked*) exit 101 ;; esac"#;

/// Node that is new enough.
pub const NODE: &str = "echo v20.11.1";

/// npm that reaches its registry.
pub const NPM: &str = r#"
case $1 in
ci) mkdir -p node_modules && touch node_modules/.package-lock.json ;;
install)
    while [ $# -gt 0 ]; do
        [ "$1" = --prefix ] && prefix=$2
        shift
    done
    create "$prefix/node_modules/binaryen/bin/wasm-opt" 'echo "wasm-opt version 132 (version_132)"' ;;
esac"#;

/// `id` of root.
pub const ROOT: &str = "echo 0";
/// `id` of anybody else.
pub const NOT_ROOT: &str = "echo 1000";

/// Knows every package once there are lists.
pub const APT_CACHE: &str = r#"
if [ -e "$disk/lists" ]; then echo "  Candidate: 1.0"; else echo "N: Unable to locate package"; fi"#;

/// Knows what [`APT_GET`] installed.
pub const DPKG_QUERY: &str = r#"
for package; do :; done
[ -e "$disk/packages/$package" ] && printf 'install ok installed'"#;

/// Installs every package, once there are lists.
pub const APT_GET: &str = r#"
case $1 in
update) : >"$disk/lists" ;;
install)
    [ -e "$disk/lists" ] || exit 100
    mkdir -p "$disk/packages"
    for package; do
        : >"$disk/packages/$package"
        case $package in
        rustc-web) create "$disk/usr/bin/rustc" '. "$disk/debian-rustc.sh"' ;;
        cargo-web) create "$disk/usr/bin/cargo" '. "$disk/debian-cargo.sh"' ;;
        nodejs) create "$disk/usr/bin/node" 'echo v18.20.4' ;;
        npm) create "$disk/usr/bin/npm" '. "$disk/debian-npm.sh"' ;;
        chromium) create "$disk/usr/bin/chromium" '' ;;
        firefox-esr) create "$disk/usr/bin/firefox-esr" '' ;;
        webkit2gtk-driver)
            create "$disk/usr/bin/WebKitWebDriver" ''
            create "$disk/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser" '' ;;
        python3-venv) create "$disk/usr/bin/python3" '' ;;
        xvfb) create "$disk/usr/bin/Xvfb" '' ;;
        esac
    done ;;
esac"#;

/// Debian's rustc, of the version in the folder's `version`.
pub const DEBIAN_RUSTC: &str = r#"
case $1 in
-V) read -r version <"$disk/version" && echo "rustc $version" ;;
*) echo "$disk/usr/lib/rustlib/wasm32-unknown-unknown/lib" ;;
esac"#;

/// Debian's cargo: builds the standard library, if it is told which compiler to use and nobody else's is in the way.
pub const DEBIAN_CARGO: &str = r#"
[ "$RUSTC $RUSTC_BOOTSTRAP $RUSTFLAGS $RUSTUP_TOOLCHAIN" = "$disk/usr/bin/rustc 1 -Cembed-bitcode=yes " ] || exit 1
[ -e Cargo.toml ] && [ -e src/lib.rs ] || exit 1
mkdir -p target/wasm32-unknown-unknown/release/deps && cd target/wasm32-unknown-unknown/release/deps || exit 1
read -r version <"$disk/version"
for library in core std test proc_macro stdseed; do : >"lib$library-$version.rlib"; done
: >"stdseed-$version.d""#;
