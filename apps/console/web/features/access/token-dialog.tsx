import { useState } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import type { Account, Issued } from "./service-account-queries.ts";
import { TokenForm } from "./token-form.tsx";

interface DialogProps {
  /** The account that gets a token. Undefined: the dialog is closed. */
  readonly receiver: Account | "new" | undefined;
  readonly onClose: () => void;
}

/** Makes a token, and shows it once. */
export function TokenDialog({ receiver, onClose }: DialogProps) {
  const [issued, setIssued] = useState<Issued>();
  const close = (): void => {
    setIssued(undefined);
    onClose();
  };
  const title = receiver === "new" ? "New service account" : `Add a token to ${receiver?.name ?? ""}`;
  return (
    // A click outside of the dialog must not lose the token.
    <Dialog opened={receiver !== undefined} onClose={close} title={title} closeOnClickOutside={!issued} centered>
      {receiver && !issued && <TokenForm receiver={receiver} onIssued={setIssued} onClose={close} />}
      {issued && (
        <ShownOnce
          label="Token"
          text={`This is the token of ${issued.account.name}. Store it now: it is not shown again.`}
          secret={issued.secret ?? ""}
          onClose={close}
        />
      )}
    </Dialog>
  );
}
