export { ProcessRuntime, type ProcessRuntimeOptions } from "./process-runtime.ts";
