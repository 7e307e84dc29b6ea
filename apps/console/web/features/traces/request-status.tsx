import { Status, type Tone } from "../../parts/status.tsx";

interface RequestStatusProps {
  readonly status: number;
  /** Why the request was refused or aborted. */
  readonly reason: string | null | undefined;
}

/** The status of a response. */
export function RequestStatus({ status, reason }: RequestStatusProps) {
  const tone: Tone = status >= 500 ? "bad" : status >= 400 || reason ? "warning" : "good";
  return <Status tone={tone}>{status}</Status>;
}
