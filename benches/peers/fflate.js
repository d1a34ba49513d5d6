// Makes the archives that are imported.
export { strToU8, zipSync } from "fflate";
