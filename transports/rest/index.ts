export { createRestListener, type RestListenerOptions } from "./rest-listener.ts";
export { schemaRoutes } from "./schema-routes.ts";
