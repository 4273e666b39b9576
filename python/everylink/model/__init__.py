"""What a results file holds, as frozen dataclasses of arrays: values that everything else takes and gives."""
