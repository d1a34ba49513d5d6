// just-bash 3.4, by its own bundle for browsers.
export { Bash } from "just-bash/browser";
