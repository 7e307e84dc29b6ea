export { createRestListener } from "./rest-listener.ts";
export type { RestRoute } from "./rest-route.ts";
