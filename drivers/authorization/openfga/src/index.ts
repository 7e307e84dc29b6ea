export type { BootstrapResult, OpenFgaModel } from "./bootstrap-store.ts";
export { OpenFgaAuthorization, type OpenFgaAuthorizationOptions } from "./openfga-authorization.ts";
