import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { i18n } from "../i18n.ts";
import { BusyButton } from "./busy-button.tsx";
import { Dialog, useCommand } from "./dialog.tsx";

interface ConfirmProps {
  readonly opened: boolean;
  readonly title: string;
  readonly action: string;
  /** Title of the button that closes the dialog without the action. */
  readonly dismiss?: string;
  /** Whether the action destroys something. By default it does. */
  readonly isDestructive?: boolean;
  readonly children: ReactNode;
  readonly onCancel: () => void;
  /** The dialog closes when it resolves, and shows why it rejected. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  opened,
  title,
  action,
  dismiss = i18n.t("Cancel"),
  isDestructive = true,
  children,
  onCancel,
  onConfirm,
}: ConfirmProps) {
  const { isBusy, failure, run } = useCommand(async () => {
    await onConfirm();
    onCancel();
  });
  return (
    <Dialog opened={opened} onClose={onCancel} title={title}>
      {children}
      {failure && (
        <Text c="var(--mantine-color-error)" role="alert" mt="md">
          {failure}
        </Text>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onCancel} data-autofocus>
          {dismiss}
        </Button>
        <BusyButton {...(isDestructive && { color: "red" })} loading={isBusy} onClick={() => void run()}>
          {action}
        </BusyButton>
      </Group>
    </Dialog>
  );
}
