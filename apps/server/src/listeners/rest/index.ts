export { createRestListener, type RestRoute } from "./rest-listener.ts";
