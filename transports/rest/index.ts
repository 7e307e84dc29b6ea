export { createRestListener } from "./rest-listener.ts";
