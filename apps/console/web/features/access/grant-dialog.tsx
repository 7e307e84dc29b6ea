import { Suspense } from "react";
import { i18n } from "../../i18n.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { Loading } from "../../parts/states.tsx";
import type { Granted } from "./granted.ts";

const GrantForm = lazyPart(() => import("./grant-form.tsx"));

interface DialogProps {
  /** Undefined: the dialog is closed. */
  readonly granted: Granted | undefined;
  readonly roles: readonly string[];
  readonly onClose: () => void;
}

export function GrantDialog({ granted, roles, onClose }: DialogProps) {
  return (
    <Dialog opened={granted !== undefined} onClose={onClose} title={i18n.t("Grant access")}>
      {granted && (
        <Suspense fallback={<Loading />}>
          <GrantForm granted={granted} roles={roles} onClose={onClose} />
        </Suspense>
      )}
    </Dialog>
  );
}
