/** A sentence of the API's descriptions; shows text in backticks as code. */
export function Prose({ text }: { text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
  );
}
