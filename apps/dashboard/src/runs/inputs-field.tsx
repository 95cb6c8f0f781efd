import { Button, Checkbox, FileButton, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState, type DragEvent } from 'react';
import { formatBytes, formatNumber, plural } from '../format/format.ts';
import { withCommas, withoutRefused, type InputCount } from './count-inputs.ts';
import styles from './inputs-field.module.css';

/** Pasted text or a file as the body of an upload; undefined while there is nothing. */
export function useInputs() {
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [settled] = useDebouncedValue(text, 300);
  const blob = useMemo(
    () => file ?? (settled.trim() === '' ? undefined : new Blob([withCommas(settled)])),
    [file, settled],
  );
  const version = file === null ? settled : `${file.name} ${file.size} ${file.lastModified}`;
  return { text, setText, file, setFile, blob, version, isSettled: text === settled };
}

export type Inputs = ReturnType<typeof useInputs>;

interface InputsFieldProps {
  /** The inputs are objects of an API's parameters instead of addresses. */
  isApi: boolean;
  inputs: Inputs;
  /** Undefined while nothing is given. */
  count: InputCount | undefined;
  /** The columns to keep. */
  carry: readonly string[];
  onCarry: (carry: string[]) => void;
}

/** A tick for each column beside the address. */
export function ColumnTicks({
  columns,
  carry,
  onCarry,
}: { columns: readonly string[] } & Pick<InputsFieldProps, 'carry' | 'onCarry'>) {
  return (
    <Checkbox.Group label="Keep in each row" value={[...carry]} onChange={onCarry}>
      <div className="row wrap">
        {columns.map((name) => (
          <Checkbox key={name} value={name} label={name} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

function CountText({ count, isApi }: Pick<InputsFieldProps, 'count' | 'isApi'>) {
  if (count === undefined)
    return <span className="soft">{isApi ? 'No inputs yet' : 'No addresses yet'}</span>;
  if (count.isSheet === true) return <span className="soft">A spreadsheet: its first sheet is read</span>;
  const good = count.lines - count.refused;
  return (
    <>
      {isApi ? plural(good, 'input') : plural(good, 'address', 'addresses')}
      {count.refused > 0 && <span className="bad-text">, {formatNumber(count.refused)} refused</span>}
      {!count.isDone && ' …'}
    </>
  );
}

/** The inputs of a batch: pasted lines or a file, counted and checked while they are read. */
export function InputsField({ isApi, inputs, count, carry, onCarry }: InputsFieldProps) {
  const { text, setText, file, setFile } = inputs;
  const [isOver, setOver] = useState(false);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped) setFile(dropped);
  };
  return (
    <div
      className={isOver ? `${styles.drop} ${styles.over}` : styles.drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {file ? (
        <div className="row">
          <span className="grow truncate">
            {file.name} <span className="soft">{formatBytes(file.size)}</span>
          </span>
          <Button variant="default" onClick={() => setFile(null)}>
            Remove
          </Button>
        </div>
      ) : (
        <Textarea
          label={isApi ? 'Inputs, one JSON object a line' : 'Addresses, one a line'}
          description="Or drop a file: lines, NDJSON, CSV or Excel (xlsx) with a url column, also pasted from a spreadsheet; up to a million, 100,000 from Excel."
          placeholder={isApi ? '{"username": "…"}' : 'https://shop.example/p/1\nhttps://shop.example/p/2'}
          rows={9}
          classNames={{ input: 'mono' }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-search
        />
      )}
      <div className={`row ${styles.foot}`}>
        <span className="grow small" role="status">
          <CountText count={count} isApi={isApi} />
        </span>
        <FileButton onChange={setFile} accept=".txt,.csv,.ndjson,.jsonl,.xlsx,text/plain,text/csv">
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </div>
      {!isApi && count !== undefined && count.columns.length > 0 && (
        <ColumnTicks columns={count.columns} carry={carry} onCarry={onCarry} />
      )}
      {count !== undefined && count.examples.length > 0 && (
        <div className="row wrap top">
          <details className="grow">
            <summary className="small">Show the refused lines</summary>
            <ul className="small">
              {count.examples.map(({ line, text: refused }) => (
                <li key={line}>
                  Line {formatNumber(line)}: <code>{refused}</code> is not an http address
                </li>
              ))}
            </ul>
          </details>
          {file === null && (
            <Button variant="default" onClick={() => setText(withoutRefused(text))}>
              Leave {plural(count.refused, 'line')} out
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
