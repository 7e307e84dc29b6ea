import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

/** The number that PostgreSQL uses itself. */
const iterations = 4_096;
const derive = promisify(pbkdf2);

/**
 * Returns what PostgreSQL stores for a password of ASCII characters (RFC 5803). Sent in its place, so that the password is in no
 * statement and therefore in no log of the server.
 */
export async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(16);
  const salted = await derive(password, salt, iterations, 32, "sha256");
  const keyOf = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${stored}:${keyOf("Server Key").toString("base64")}`;
}
