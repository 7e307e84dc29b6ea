export { DockerRuntime, type DockerRuntimeOptions } from "./docker-runtime.ts";
export { EngineClient, EngineError, type EngineRequest, type EngineResponse } from "./engine-client.ts";
export { type ImageParts, splitImage } from "./image-reference.ts";
export { registryAuth } from "./registry-auth.ts";
export { TcpRelay } from "./tcp-relay.ts";
