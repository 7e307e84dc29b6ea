import { hash, randomInt } from "node:crypto";
import type { SqlExecutor } from "@appserver/kernel/ports";

const codeCount = 12;
const groups = 4;
const groupLength = 4;
/** Crockford's base32, without letters that look like others. With 80 bits a code needs no slow hash. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const form = /^[0-9a-hjkmnp-tv-z]{16}$/;

/** Codes of a person who does not have the other factors. Each works once, and only its hash is stored. */
export const recoveryCodes = {
  /** Makes new codes in place of earlier ones. They are returned this once. */
  async replace(tx: SqlExecutor, personId: string): Promise<readonly string[]> {
    await recoveryCodes.remove(tx, personId);
    const codes = Array.from({ length: codeCount }, newCode);
    await tx.query("insert into accounts.recovery_codes (person_id, code_key) select $1, unnest($2::text[])", [
      personId,
      codes.map((code) => keyOf(personId, plain(code))),
    ]);
    return codes;
  },

  /** Uses a code up. Returns whether it was valid. */
  async use(tx: SqlExecutor, personId: string, code: string): Promise<boolean> {
    const given = plain(code);
    if (!form.test(given)) return false;
    const used = await tx.query("delete from accounts.recovery_codes where person_id = $1 and code_key = $2", [
      personId,
      keyOf(personId, given),
    ]);
    return used.count === 1;
  },

  async remove(tx: SqlExecutor, personId: string): Promise<void> {
    await tx.query("delete from accounts.recovery_codes where person_id = $1", [personId]);
  },
};

function newCode(): string {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  return Array.from({ length: groups }, group).join("-");
}

/** Letters that look like digits are read as digits. */
function plain(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, "").replaceAll("o", "0").replaceAll(/[il]/g, "1");
}

function keyOf(personId: string, code: string): string {
  return hash("sha256", `${personId}:${code}`, "base64url");
}
