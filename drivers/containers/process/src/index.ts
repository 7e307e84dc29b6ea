export { type ProcessImage, ProcessRuntime, type ProcessRuntimeOptions } from "./process-runtime.ts";
