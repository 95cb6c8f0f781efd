import './app/styles.ts';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no place for the dashboard');
createRoot(root).render(<App />);
