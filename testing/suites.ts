// The tests that every driver of a family has to pass, for drivers outside of the repository, too (docs/guides/write-a-driver.md).
export { authorizationSuite } from "../drivers/authorization/authorization.suite.ts";
export { brokerSuite } from "../drivers/broker/broker.suite.ts";
export { cacheSuite } from "../drivers/cache/cache.suite.ts";
export { containersSuite } from "../drivers/containers/containers.suite.ts";
export { identitySuite } from "../drivers/identity/identity.suite.ts";
