import { Alert, Button, type ButtonProps, Group, Modal, type ModalProps } from "@mantine/core";
import { type SubmitEvent, useState } from "react";
import { i18n } from "../i18n.ts";
import { BusyButton } from "./busy-button.tsx";

/** A modal dialog in the middle of the window, whose button to close it has a name. */
export function Dialog(props: ModalProps) {
  return <Modal centered closeButtonProps={{ "aria-label": i18n.t("Close the dialog") }} {...props} />;
}

export interface Command {
  readonly isBusy: boolean;
  /** Why the last run was refused. */
  readonly failure: string | undefined;
  readonly run: () => Promise<void>;
  /** For forms. */
  readonly submit: (event: SubmitEvent) => void;
}

/** Returns what a dialog shows of the command that it sends. */
export function useCommand(send: () => Promise<unknown>): Command {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const run = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await send();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void run();
  };
  return { isBusy, failure, run, submit };
}

interface ActionProps extends Pick<ButtonProps, "disabled"> {
  readonly command: Command;
  /** Of the button that sends the command: it submits the form, or runs the command outside of one. */
  readonly label: string;
  readonly isForm?: boolean;
  /** Shown above the reason of a refusal. */
  readonly refused: string;
  readonly dismiss?: string;
  readonly onClose: () => void;
}

/** The end of a dialog: why the command was refused, and the buttons. */
export function DialogActions({ command, label, isForm = true, refused, dismiss, disabled, onClose }: ActionProps) {
  const { isBusy, failure, run } = command;
  return (
    <>
      {failure && (
        <Alert color="red" variant="outline" role="alert" title={refused}>
          {failure}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {dismiss ?? i18n.t("Cancel")}
        </Button>
        <BusyButton
          {...(isForm ? { type: "submit" as const } : { onClick: () => void run() })}
          loading={isBusy}
          disabled={disabled ?? false}
        >
          {label}
        </BusyButton>
      </Group>
    </>
  );
}
