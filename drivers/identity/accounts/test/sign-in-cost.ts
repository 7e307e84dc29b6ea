import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { mock } from "node:test";
import { Browser, type Server } from "./accounts-under-test.ts";

/** What a wrong password costs for each address, and what the response says without the address. */
export async function signInCosts(server: Server, addresses: readonly string[], network: string) {
  const hashes = mock.method(crypto, "scrypt");
  syncBuiltinESMExports();
  const costs = [];
  for (const address of addresses) {
    server.statements.length = 0;
    hashes.mock.resetCalls();
    const page = await new Browser(server, network).signIn(address, "not the password");
    const text = JSON.stringify(page.body).replaceAll(address, "");
    costs.push({ status: page.status, text, statements: [...server.statements], hashes: hashes.mock.callCount() });
  }
  hashes.mock.restore();
  syncBuiltinESMExports();
  return costs;
}
