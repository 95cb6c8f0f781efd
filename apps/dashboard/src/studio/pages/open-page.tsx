import { Button, Checkbox, FileButton, Popover, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { plural } from '../../format/number.ts';
import { Failure } from '../../parts/states.tsx';
import type { KeptPage } from '../extraction/protocol.ts';
import { completeUrl, fetchPage, pastedPage } from './fetch-page.ts';

const PLAIN_CREDITS = 1;
const BROWSER_CREDITS = 5;

interface OpenPageProps {
  onOpened: (page: KeptPage) => void;
  /** The address that stands there at first. */
  initialUrl?: string | undefined;
  /** Larger, for an otherwise empty page. */
  isLarge?: boolean;
}

/** Opens a page by its address, or from pasted HTML. */
export function OpenPage({ onOpened, initialUrl = '', isLarge = false }: OpenPageProps) {
  const [url, setUrl] = useState(initialUrl);
  const [html, setHtml] = useState('');
  const [usesBrowser, setUsesBrowser] = useState(false);
  const [isPasting, paste] = useDisclosure(false);
  const open = useMutation({
    mutationFn: () => fetchPage(completeUrl(url), usesBrowser ? { useBrowser: true } : {}),
    onSuccess: (page) => {
      setUrl('');
      onOpened(page);
    },
  });
  const openHtml = (text: string): void => {
    onOpened(pastedPage(text, url.trim() === '' ? '' : completeUrl(url)));
    setHtml('');
    paste.close();
  };
  const price = plural(usesBrowser ? BROWSER_CREDITS : PLAIN_CREDITS, 'credit');
  return (
    <div className="stack" style={{ gap: 8 }}>
      <form
        className="row wrap"
        onSubmit={(event) => {
          event.preventDefault();
          if (url.trim() !== '') open.mutate();
        }}
      >
        <TextInput
          size={isLarge ? 'md' : 'xs'}
          aria-label="Address of a page"
          placeholder="Paste a link to a page"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          className="grow"
          style={{ minWidth: 180 }}
          type="text"
          inputMode="url"
          data-search
        />
        <Button
          type="submit"
          size={isLarge ? 'md' : 'xs'}
          loading={open.isPending}
          disabled={url.trim() === ''}
        >
          Open for {price}
        </Button>
        <Popover opened={isPasting} onClose={paste.close} width={360} position="bottom-end" trapFocus>
          <Popover.Target>
            <Button variant="default" size={isLarge ? 'md' : 'xs'} onClick={paste.toggle}>
              Paste HTML
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <div className="stack">
              <Textarea
                label="HTML of a page"
                description="Nothing is fetched, and it costs nothing."
                value={html}
                onChange={(event) => setHtml(event.currentTarget.value)}
                rows={8}
                className="mono"
                data-autofocus
              />
              <div className="row">
                <Button disabled={html.trim() === ''} onClick={() => openHtml(html)}>
                  Open it
                </Button>
                <FileButton
                  accept=".html,.htm,text/html"
                  onChange={(file) => void file?.text().then(openHtml)}
                >
                  {(props) => (
                    <Button variant="default" {...props}>
                      Choose a file
                    </Button>
                  )}
                </FileButton>
              </div>
            </div>
          </Popover.Dropdown>
        </Popover>
      </form>
      <Checkbox
        label="Run the page’s scripts in a browser first"
        checked={usesBrowser}
        onChange={(event) => setUsesBrowser(event.currentTarget.checked)}
      />
      {open.error !== null && <Failure error={open.error} />}
    </div>
  );
}
