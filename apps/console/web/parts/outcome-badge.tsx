import { Status, type Tone } from "./status.tsx";

const tones: Readonly<Record<string, Tone>> = { success: "good", denied: "warning", failure: "bad" };

/** How an audited action ended. */
export function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  return <Status tone={tones[outcome] ?? "neutral"}>{outcome}</Status>;
}
