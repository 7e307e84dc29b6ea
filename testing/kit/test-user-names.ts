import type { TestUser } from "./platform-under-test.ts";

/** How the users of tests are displayed, whatever the identity provider is. */
export const testUserNames: Readonly<Record<TestUser, string>> = {
  admin: "Ada Admin",
  alice: "Alice Reader",
  bob: "Bob Guest",
};
