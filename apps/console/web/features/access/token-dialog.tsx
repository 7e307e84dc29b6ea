import { useState } from "react";
import { i18n } from "../../i18n.ts";
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
  const title =
    receiver === "new" ? i18n.t("New service account") : i18n.t("Add a token to {name}", { name: receiver?.name ?? "" });
  return (
    // A click outside of the dialog must not lose the token.
    <Dialog opened={receiver !== undefined} onClose={close} title={title} closeOnClickOutside={!issued}>
      {receiver && !issued && <TokenForm receiver={receiver} onIssued={setIssued} onClose={close} />}
      {issued && (
        <ShownOnce
          label={i18n.t("Token")}
          text={i18n.t("This is the token of {name}. Store it now: it is not shown again.", { name: issued.account.name })}
          secret={issued.secret ?? ""}
          onClose={close}
        />
      )}
    </Dialog>
  );
}
