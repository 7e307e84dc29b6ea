import { Button, Group, Modal, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";

interface ConfirmProps {
  readonly opened: boolean;
  readonly title: string;
  readonly action: string;
  /** Title of the button that closes the dialog without the action. */
  readonly dismiss?: string;
  readonly children: ReactNode;
  readonly onCancel: () => void;
  /** The dialog closes when it resolves, and shows why it rejected. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before something is destroyed. */
export function Confirm({ opened, title, action, dismiss = "Cancel", children, onCancel, onConfirm }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setFailure("");
    try {
      await onConfirm();
      onCancel();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened={opened} onClose={onCancel} title={title} closeButtonProps={{ "aria-label": "Close the dialog" }} centered>
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
        <Button color="red" loading={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
