export type { ProcessImage } from "./process-images.ts";
export { ProcessRuntime, type ProcessRuntimeOptions } from "./process-runtime.ts";
