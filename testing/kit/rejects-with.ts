import assert from "node:assert/strict";
import type { ErrorCode } from "@appserver/contracts/errors";
import { isAppError } from "@appserver/kernel";

/** Returns a matcher for `assert.rejects` and `assert.throws`: an AppError with this code and a message that matches. */
export function rejectsWith(code: ErrorCode, match: RegExp = /(?:)/): (error: unknown) => true {
  return (error) => {
    assert.ok(isAppError(error, code), `not ${code}: ${String(error)}`);
    assert.match(error.message, match);
    return true;
  };
}
