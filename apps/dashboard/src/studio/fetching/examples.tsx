/** Example pages of the installation; opening one is free of charge. */
export const EXAMPLES = [
  { name: 'shop', title: 'A shop', about: 'A list of products with prices', url: 'https://mugs.example/all' },
  {
    name: 'article',
    title: 'An article',
    about: 'Text with author, date and data',
    url: 'https://news.example/wheat',
  },
  {
    name: 'timetable',
    title: 'A timetable',
    about: 'A table of departures',
    url: 'https://trains.example/board',
  },
] as const;

/** The choice of an example. */
export function ExampleChoice({ onChoose }: { onChoose: (name: string) => void }) {
  return (
    <div className="choice">
      {EXAMPLES.map(({ name, title, about }) => (
        <button key={name} type="button" onClick={() => onChoose(name)}>
          {title}
          <small>{about}</small>
        </button>
      ))}
    </div>
  );
}
