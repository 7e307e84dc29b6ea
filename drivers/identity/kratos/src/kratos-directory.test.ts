import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { isAppError } from "@appserver/kernel";
import { ensureKratos } from "../../../../tools/services/kratos.ts";
import { KratosAccounts } from "../../../../tools/services/kratos-accounts.ts";
import { KratosDirectory } from "./kratos-directory.ts";

const server = await ensureKratos();
const skip = "unavailable" in server ? server.unavailable : false;
after(async () => {
  if (!("unavailable" in server)) await server.stop();
});

describe("KratosDirectory", { skip }, () => {
  const addresses = "unavailable" in server ? { publicUrl: "", adminUrl: "http://127.0.0.1" } : server;
  const directory = new KratosDirectory({ adminUrl: addresses.adminUrl });

  it("finds an identity by its sign-in address", async () => {
    const accounts = new KratosAccounts(addresses);
    const [account] = [await accounts.create(), await accounts.create()];
    assert.equal(await directory.find(account.email), account.id);
  });

  it("refuses an unknown address, and names the URL if Kratos does not respond", async () => {
    await assert.rejects(directory.find("nobody@example.test"), (error) => isAppError(error, "NOT_FOUND"));
    const nowhere = new KratosDirectory({ adminUrl: "http://127.0.0.1:1" });
    await assert.rejects(nowhere.find("a@example.test"), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
  });
});
