import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { notify } from "../../parts/notices.tsx";
import { revoke, type Subject, type Tuple } from "./access-queries.ts";
import { useAppNamesOf } from "./grant-names.ts";
import { grantText, isRevocable, subjectName } from "./tuple-text.ts";

interface RevokeProps {
  readonly subject: Subject;
  readonly tuple: Tuple;
  /** Whether the button says what it takes, where its row does not. */
  readonly isNamed?: boolean;
}

/** Takes a grant, after a confirmation. Nothing for viewers who may not, and for tuples that belong to the platform. */
export function RevokeButton({ subject, tuple, isNamed = false }: RevokeProps) {
  const { permissions, subject: viewer } = useViewer();
  const [asks, setAsks] = useState(false);
  const names = useAppNamesOf([tuple]);
  if (!permissions.includes("access:manage") || !isRevocable(tuple)) return null;
  const name = subjectName(subject);
  const what = grantText(tuple, names);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={i18n.t("Revoke {what} from {name}", { what, name })}
        onClick={() => setAsks(true)}
      >
        {isNamed ? i18n.t("Revoke {what}", { what }) : i18n.t("Revoke")}
      </Button>
      <Confirm
        opened={asks}
        title={i18n.t("Revoke {what}?", { what })}
        action={i18n.t("Revoke")}
        onCancel={() => setAsks(false)}
        onConfirm={async () => {
          await revoke(tuple).catch((error: unknown) => {
            throw isLastAdministrator(error) ? new Error(lastAdministrator(name)) : error;
          });
          notify(i18n.t("Revoked from {name}", { name }), what);
        }}
      >
        <Text>{i18n.t("{name} loses at once what this gives, unless another grant gives it too.", { name })}</Text>
        {tuple.user.startsWith("app:") && tuple.relation === "holder" && (
          <Text mt="xs">
            {i18n.t(
              "If an approval granted it, revoke the approval on the page of the app instead: the approval stays, and the next installation grants it again.",
            )}
          </Text>
        )}
        {tuple.user === viewer && (
          <Text mt="xs" fw={600}>
            {i18n.t("This is your own access.")}
          </Text>
        )}
      </Confirm>
    </>
  );
}

/** The code of the refusal has other causes, too. */
function isLastAdministrator(error: unknown): boolean {
  return error instanceof ApiError && error.code === "INVALID_STATE" && error.message.includes("no administrator");
}

function lastAdministrator(name: string): string {
  return i18n.t(
    "{name} is the last administrator who can sign in. Make another person an administrator first, then revoke this.",
    { name },
  );
}
