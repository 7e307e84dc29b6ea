export { DevIdentity, type DevIdentityOptions, type Login } from "./dev-identity.ts";
export { devUsers } from "./dev-user.ts";
