import { index, route } from '@react-router/dev/routes';

export default [
  index('routes/home.jsx'),
  route('slow', 'routes/slow.jsx'),
  route('stream', 'routes/stream.js'),
];
