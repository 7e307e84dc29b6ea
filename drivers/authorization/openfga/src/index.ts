export { OpenFgaAuthorization, type OpenFgaAuthorizationOptions } from "./openfga-authorization.ts";
