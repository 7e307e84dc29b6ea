export { KratosDirectory, type KratosDirectoryOptions } from "./kratos-directory.ts";
export { KratosIdentity, type KratosIdentityOptions } from "./kratos-identity.ts";
