import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { mock } from "node:test";
import { Browser, type Server } from "./accounts-under-test.ts";

/** Statements of what runs by itself: letters that wait, groups of providers that are due. */
const background = /accounts\.(?:letters|provider_sessions)/;

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
    const statements = server.statements.filter((each) => !background.test(each));
    costs.push({ status: page.status, text, statements, hashes: hashes.mock.callCount() });
  }
  hashes.mock.restore();
  syncBuiltinESMExports();
  return costs;
}
