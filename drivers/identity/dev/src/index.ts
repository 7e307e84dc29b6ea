export { DevIdentity, type DevIdentityOptions, type Login } from "./dev-identity.ts";
export { type DevUser, devUsers } from "./dev-user.ts";
