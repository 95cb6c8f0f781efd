import type { ExportFormat } from '@gleaner/contracts/values';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { OpenButton } from './buttons.tsx';
import { FORMAT_WORDS } from './export-menu.tsx';
import { FormDialog, SecretDialog } from './form-dialog.tsx';
import { Choice } from './forms.tsx';
import { IconDownload } from './icons.ts';

interface DownloadLinkProps {
  make: (format: ExportFormat) => Promise<{ url: string }>;
  /** After what is exported: `with this filter`. */
  note?: string | undefined;
}

function LinkDialog({ make, note, onClose }: DownloadLinkProps & { onClose: () => void }) {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const made = useMutation({ mutationFn: () => make(format) });
  if (made.data)
    return (
      <SecretDialog
        title="Download link"
        about="Anyone with this address downloads the file for a day, without signing in. It is shown once."
        label="Address"
        secret={made.data.url}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={`Download link${note === undefined ? '' : `, ${note}`}`}
      onClose={onClose}
      sent={made}
      submit="Make the link"
    >
      <Choice label="File" words={FORMAT_WORDS} value={format} onChange={setFormat} />
    </FormDialog>
  );
}

/** Makes a secret address from which anyone downloads the rows for a day. */
export function DownloadLink(props: DownloadLinkProps) {
  return (
    <OpenButton icon={IconDownload} isSmall dialog={(close) => <LinkDialog {...props} onClose={close} />}>
      Download link
    </OpenButton>
  );
}
