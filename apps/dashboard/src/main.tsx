import { createRoot } from 'react-dom/client';
import { holdAnswersWhilePressed } from './api/hold-while-pressed.ts';
import { App } from './app/app.tsx';
import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/VisuallyHidden.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/PasswordInput.css';
import '@mantine/core/styles/Flex.css';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import './app/app.css';

// Only the styles of used components: each component has its own file.

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no place for the dashboard');
holdAnswersWhilePressed();
createRoot(root).render(<App />);
