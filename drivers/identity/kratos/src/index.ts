export { KratosDirectory, type KratosDirectoryOptions } from "./kratos-directory.ts";
export { KratosIdentity, type KratosIdentityOptions } from "./kratos-identity.ts";
export { type FlowQuery, flowUrl, KratosPages, type KratosPagesOptions, type SessionCredential } from "./kratos-pages.ts";
export { KratosSelfService, type KratosSelfServiceOptions } from "./kratos-self-service.ts";
