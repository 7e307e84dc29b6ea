/** OpenFGA's error codes of failed checks and writes, by OpenFGA's numbers. */
export const errorCodes = {
  validationError: 2000,
  resolutionTooComplex: 2002,
  invalidTuple: 2027,
} as const;

export type OpenFgaErrorCode = (typeof errorCodes)[keyof typeof errorCodes];

/** A check or a tuple that is invalid under the model. */
export class CheckError extends Error {
  override readonly name = "CheckError";
  readonly code: OpenFgaErrorCode;

  constructor(code: OpenFgaErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
