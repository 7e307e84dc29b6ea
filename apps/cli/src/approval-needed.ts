/** A person must approve permissions of an app first. Nothing has failed. */
export class ApprovalNeeded extends Error {
  override readonly name = "ApprovalNeeded";
}
