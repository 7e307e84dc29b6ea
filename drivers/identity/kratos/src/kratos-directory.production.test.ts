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
    assert.equal(await directory.idOf(account.email), account.id);
  });

  it("finds the names of users by their ids, without those that do not exist", async () => {
    const accounts = new KratosAccounts(addresses);
    const ada = await accounts.create({ first: "Ada", last: "Lovelace" });
    const other = await accounts.create();
    const people = await directory.find({ ids: [ada.id, other.id, "not an id", "00000000-0000-4000-8000-000000000000"] });
    assert.deepEqual(
      new Map(people.map(({ userId, displayName }) => [userId, displayName])),
      new Map([
        [ada.id, "Ada Lovelace"],
        [other.id, other.email],
      ]),
    );
    assert.deepEqual(await directory.find({ ids: [] }), []);
  });

  it("searches users by a part of their sign-in address, and by their id", async () => {
    const accounts = new KratosAccounts(addresses);
    const [ada] = [await accounts.create({ first: "Ada", last: "Lovelace" }), await accounts.create()];
    const [start = ""] = ada.email.split("@");
    for (const search of [ada.email, start, ada.id]) {
      const people = await directory.find({ search, limit: 5 });
      assert.deepEqual(people, [{ userId: ada.id, displayName: "Ada Lovelace", email: ada.email, isActive: true }], search);
    }
    assert.deepEqual(await directory.find({ search: "nobody-at-all", limit: 5 }), []);
    assert.equal((await directory.find({ search: "", limit: 2 })).length, 2, "an empty search is everyone");
  });

  it("refuses an unknown address, and names the URL if Kratos does not respond", async () => {
    await assert.rejects(directory.idOf("nobody@example.test"), (error) => isAppError(error, "NOT_FOUND"));
    const nowhere = new KratosDirectory({ adminUrl: "http://127.0.0.1:1" });
    await assert.rejects(nowhere.idOf("a@example.test"), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
  });
});
