"""The Stages preview: every stage with its Send and Recv nodes, and the tensors that run between them."""
