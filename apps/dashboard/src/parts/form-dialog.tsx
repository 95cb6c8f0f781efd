import { Button, Modal, type MantineSize } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CodeBlock } from './copy.tsx';
import { Form } from './forms.tsx';
import { Failure } from './page.tsx';

interface FormDialogProps {
  title: string;
  onClose: () => void;
  /** The change that the form sends. */
  sent: { error: unknown; isPending: boolean; mutate: () => void };
  /** The word of the button. */
  submit: string;
  isReady?: boolean;
  isDangerous?: boolean;
  /** Beside the button: a way back, a note. */
  beside?: ReactNode;
  size?: MantineSize;
  children: ReactNode;
}

/**
 * A form of a few fields in a dialog, with its button and the error of the last try. Once something was typed, neither
 * Esc nor a click beside it closes the dialog.
 */
export function FormDialog(props: FormDialogProps) {
  const { title, onClose, sent, submit, isReady = true, isDangerous = false, beside, size } = props;
  const [isTyped, setTyped] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      closeOnEscape={!isTyped}
      closeOnClickOutside={!isTyped}
    >
      <Form className="stack" onSubmit={() => isReady && sent.mutate()} onInput={() => setTyped(true)}>
        {props.children}
        <Failure error={sent.error} />
        <div className="row wrap">
          <Button
            type="submit"
            disabled={!isReady}
            loading={sent.isPending}
            {...(isDangerous ? { color: 'red', 'data-danger': true } : {})}
          >
            {submit}
          </Button>
          {beside}
        </div>
      </Form>
    </Modal>
  );
}

interface SecretDialogProps {
  title: string;
  /** Says what the secret is for, and that it is shown once. */
  about: string;
  label: string;
  secret: string;
  onClose: () => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** A secret that is shown once. Only its own buttons close the dialog. */
export function SecretDialog({ title, about, label, secret, onClose, children }: SecretDialogProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <div className="stack">
        <p>{about}</p>
        <CodeBlock label={label} text={secret} />
        <div className="row wrap">
          <Button onClick={onClose}>I have copied it</Button>
          {children}
        </div>
      </div>
    </Modal>
  );
}
