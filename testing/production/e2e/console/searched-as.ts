import { type PlatformUnderTest, ProductionPlatform, type TestUser } from "@appserver/testing/kit";

/** Returns what finds exactly one user of tests: the id of the development login, or the address at Kratos, which searches no names. */
export function searchedAs(platform: PlatformUnderTest, user: TestUser): string {
  return platform instanceof ProductionPlatform ? platform.addresses.accounts[user].email : user;
}
