export { KratosIdentity, type KratosIdentityOptions } from "./kratos-identity.ts";
